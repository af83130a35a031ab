import {
  type Decision,
  decide,
  endRun,
  forgetRun,
  handOut,
  hear,
  openStandings,
} from '@loopwarden/detection';
import { openOracle, rule, take } from './oracle/oracle.ts';
import { idleMs, type PolicyDocument } from './oracle/settings.ts';
import { type Answer, CALLS, type Call, type Manner, type Voice } from './scenario.ts';
import { HEARD, NOTHING_MORE, openStage, resultOf, type Stage, send, veto } from './stage.ts';

/** Several gateways before one partition, each behind the control topic by some events. */

/** When a gateway forgets a run that is silent: as the pages say, long before, or never. */
export type Memory = 'due' | 'early' | 'never';

export interface Gateway {
  readonly name: string;
  readonly memory: Memory;
  readonly standings: ReturnType<typeof openStandings>;
  /** Events of the log whose verdicts were heard. */
  heard: number;
  /** By run heard: the index of its Attach in the log (none: `NEVER`), and when anything of it was last seen. */
  readonly served: Map<string, { attach: number; at: number }>;
  /** Times that a run was forgotten. */
  readonly lives: Map<string, number>;
  /** Since a reset of its position, verdicts may be missing. */
  missed: boolean;
}

export interface Fleet {
  readonly stage: Stage;
  readonly gateways: readonly Gateway[];
  /** After each event of the log: the calls that the run state refuses. */
  readonly truth: ReadonlySet<string>[];
  readonly oracle: ReturnType<typeof openOracle>;
  /** Everything that went wrong. */
  readonly faults: string[];
  /** Warnings handed out, as `gateway run epoch.warning.level`. */
  readonly handedOut: string[];
}

export const RUNS = ['r1', 'r2'];
const MINUTE_MS = 60_000;
const NEVER = Infinity;

export function openFleet(document: PolicyDocument, memories: readonly Memory[]): Fleet {
  const gateways = memories.map((memory, index) => ({
    name: `g${index}`,
    memory,
    standings: openStandings(),
    heard: 0,
    served: new Map(),
    lives: new Map(),
    missed: false,
  }));
  const oracle = openOracle(document, 0);
  return { stage: openStage(document), gateways, truth: [], oracle, faults: [], handedOut: [] };
}

const callOf = (run: string, { tool, args }: Call): string => `${run} ${tool}/${args.slice(0, 1)}`;
const refuses = ({ action }: Decision): boolean => action === 'block' || action === 'abort';

/** Lets the oracle see what was appended, and notes what each call meets after it. */
export function witness({ stage, oracle, truth }: Fleet): void {
  for (const { event, at } of stage.log.slice(truth.length)) {
    take(oracle, event, at);
    const refused = RUNS.flatMap((run) =>
      CALLS.filter((signature) => {
        const { action } = rule(oracle, run, { signature, shadow: false });
        return action === 'block' || action === 'abort';
      }).map((call) => callOf(run, call)),
    );
    truth.push(new Set(refused));
  }
}

/** Records of the control topic that a gateway hears again, as after a restart of its reader. */
const HEARD_AGAIN = 2;

/** Hears the control topic up to `lag` events behind the log, and some of it twice. */
export function catchUp(fleet: Fleet, gateway: Gateway, lag: number): void {
  const { log } = fleet.stage;
  const until = Math.max(gateway.heard, log.length - lag);
  const from = gateway.missed ? gateway.heard : Math.max(0, gateway.heard - HEARD_AGAIN);
  for (const { verdicts } of log.slice(from, until)) {
    for (const verdict of verdicts) {
      const served = gateway.served.get(verdict.runId);
      if (served === undefined) continue;
      served.at = Math.max(served.at, verdict.at);
      const { gap } = hear(gateway.standings, verdict, HEARD);
      if (gap && !gateway.missed) fleet.faults.push(`${gateway.name} sees a gap before ${verdict.sequence}`);
    }
  }
  gateway.heard = until;
}

/** A gateway loses its place in the control topic, goes on from the end, and attaches its runs again. */
export function loseFrom(fleet: Fleet, gateway: Gateway): void {
  gateway.heard = fleet.stage.log.length;
  gateway.missed = true;
  for (const run of gateway.served.keys()) attach(fleet, gateway, run);
}

/** Forgets a run that this gateway no longer serves. */
export function leave(gateway: Gateway, run: string): void {
  forgetRun(gateway.standings, run);
  gateway.served.delete(run);
  gateway.lives.set(run, (gateway.lives.get(run) ?? 0) + 1);
}

const voiceOf = (gateway: Gateway, run: string): Voice => ({
  run,
  source: gateway.name,
  agent: 'alpha',
  pause: 0,
});

function attach(fleet: Fleet, gateway: Gateway, run: string): void {
  const { stage } = fleet;
  send(stage, voiceOf(gateway, run), { type: 'attach' });
  gateway.served.set(run, { attach: stage.log.length - 1, at: stage.now });
}

/** What a gateway does before it decides: forgets what is silent, attaches what it does not serve. */
export function prepare(fleet: Fleet, gateway: Gateway, run: string): void {
  const { document, now } = fleet.stage;
  const patience = { due: idleMs(document) - MINUTE_MS, early: 10 * MINUTE_MS, never: Infinity };
  const served = gateway.served.get(run);
  if (served !== undefined && now - served.at >= patience[gateway.memory]) leave(gateway, run);
  if ((gateway.served.get(run)?.attach ?? NEVER) === NEVER) attach(fleet, gateway, run);
  witness(fleet);
}

/** Whether the gateway's Attach has come back to it: from then on it knows what stands. */
const knows = (gateway: Gateway, run: string): boolean =>
  gateway.heard > (gateway.served.get(run)?.attach ?? NEVER);

/** No block is missed once its verdict has arrived. */
export function checkMissed(fleet: Fleet, gateway: Gateway, run: string): void {
  const known = fleet.truth[gateway.heard - 1];
  if (known === undefined || !knows(gateway, run)) return;
  for (const call of CALLS) {
    if (!known.has(callOf(run, call)) || refuses(decide(gateway.standings, { runId: run, ...call })))
      continue;
    fleet.faults.push(
      `${gateway.name} lets ${callOf(run, call)} through, at event ${fleet.stage.log.length}`,
    );
  }
}

interface Turn {
  readonly run: string;
  readonly call: Call;
  readonly answer: Answer;
  readonly manner: Manner;
}

/** One decision of a gateway and what follows. */
export function takeTurn(fleet: Fleet, gateway: Gateway, { run, call, answer, manner }: Turn): void {
  const { stage } = fleet;
  const voice = voiceOf(gateway, run);
  const callId = `c${stage.log.length}`;
  const { action, verdict } = decide(gateway.standings, { runId: run, ...call });
  if (verdict !== null && action !== 'warn' && manner.obeys) veto(stage, voice, { call, callId, verdict });
  else {
    const warned = verdict !== null && action === 'warn' && manner.handsOut;
    const delivered = warned ? [handOut(gateway.standings, verdict)] : [];
    const life = gateway.lives.get(run) ?? 0;
    for (const { epoch, warning, level } of delivered) {
      fleet.handedOut.push(`${gateway.name}.${life} ${run} ${epoch}.${warning}.${level}`);
    }
    send(stage, voice, { type: 'tool_call', callId, ...call, ...NOTHING_MORE, delivered, despite: null });
    send(stage, voice, { ...resultOf(call, answer), callId });
  }
  const served = gateway.served.get(run);
  if (served !== undefined) served.at = Math.max(served.at, stage.now);
  witness(fleet);
}

/** The gateway ends the run itself: it goes on hearing of it, and attaches before its next decision. */
export function finish(fleet: Fleet, gateway: Gateway, run: string): void {
  send(fleet.stage, voiceOf(gateway, run), { type: 'run_end', status: 'completed', verdict: null });
  endRun(gateway.standings, run);
  gateway.served.set(run, { attach: NEVER, at: fleet.stage.now });
  witness(fleet);
}

/** What a gateway holds by mistake lasts for one refused call. */
export function checkHealing(fleet: Fleet, gateway: Gateway, run: string): void {
  const wrong = (): Call[] =>
    CALLS.filter((call) => {
      const stands = fleet.truth.at(-1)?.has(callOf(run, call)) ?? false;
      return !stands && refuses(decide(gateway.standings, { runId: run, ...call }));
    });
  const [call] = wrong();
  const verdict = call === undefined ? null : decide(gateway.standings, { runId: run, ...call }).verdict;
  if (call === undefined || verdict === null) return;
  veto(fleet.stage, voiceOf(gateway, run), { call, callId: null, verdict });
  witness(fleet);
  catchUp(fleet, gateway, 0);
  for (const still of wrong())
    fleet.faults.push(`${gateway.name} still refuses ${callOf(run, still)} at the end`);
}
