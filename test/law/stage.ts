import type {
  Delivered,
  Partition,
  ReadEvent,
  Ref,
  RunEvent,
  Standings,
  UnknownEvent,
  Verdict,
} from '@loopwarden/detection';
import {
  compilePolicy,
  decide,
  handOut,
  hear,
  judge,
  openPartition,
  openStandings,
} from '@loopwarden/detection';
import type { PolicyDocument } from './oracle/settings.ts';
import type { Answer, Call, Manner, Voice } from './scenario.ts';

/** A record of the events partition and what the core made of it. */
export interface Played {
  readonly event: ReadEvent;
  readonly at: number;
  readonly verdicts: readonly Verdict[];
}

interface OpenCall {
  readonly call: Call;
  readonly callId: string | null;
}

/** One events partition, its core, and a gateway in front of it. */
export interface Stage {
  readonly partition: Partition;
  /** What a gateway without any lag knows; it never forgets, so some of its vetoes are unfounded. */
  readonly standings: Standings;
  readonly log: Played[];
  /** Highest sequence by run and source. */
  readonly numbers: Map<string, number>;
  /** Calls without an answer by run, newest first. */
  readonly open: Map<string, OpenCall[]>;
  document: PolicyDocument;
  revision: number;
  now: number;
}

const START = 1_700_000_000_000;
export const HEARD = { partition: 0, lineage: 0 };

export function openStage(document: PolicyDocument): Stage {
  const partition = openPartition({ policy: compilePolicy(document), revision: 0 });
  const standings = openStandings();
  const lists = { log: [], numbers: new Map(), open: new Map() };
  return { partition, standings, ...lists, document, revision: 0, now: START };
}

export function append(stage: Stage, event: ReadEvent): void {
  const { verdicts } = judge(stage.partition, event, stage.now);
  for (const verdict of verdicts) hear(stage.standings, verdict, HEARD);
  stage.log.push({ event, at: stage.now, verdicts });
}

/** The next sequence of a source; a number that is taken and not sent is a lost event. */
export function nextNumber(stage: Stage, { run, source }: Voice): number {
  const key = `${run} ${source}`;
  const number = (stage.numbers.get(key) ?? 0) + 1;
  stage.numbers.set(key, number);
  return number;
}

type Sent = RunEvent | UnknownEvent;
type Own<E extends Sent> = E extends Sent
  ? Omit<E, 'runId' | 'agentId' | 'sessionId' | 'gatewayId' | 'source' | 'sequence' | 'observedAt'>
  : never;

export function send(stage: Stage, voice: Voice, own: Own<Sent>): void {
  const { run: runId, source, agent: agentId } = voice;
  const gatewayId = own.type === 'release' ? 'operator' : source;
  const base = { runId, agentId, sessionId: null, gatewayId, source, observedAt: 0 };
  append(stage, { ...base, sequence: nextNumber(stage, voice), ...own });
}

export const NOTHING_MORE = { seen: null, profiles: '1', keyId: null, payload: null };

export function resultOf(call: Call, { outcome, digest, missingTool }: Answer) {
  const said = { outcome, digest, missingTool, verdict: null, durationMs: null };
  return { type: 'tool_result' as const, ...call, ...NOTHING_MORE, ...said };
}

export function veto(stage: Stage, voice: Voice, refused: OpenCall & { verdict: Ref | null }): void {
  const { call, callId, verdict } = refused;
  const result = resultOf(call, { outcome: 'vetoed', digest: null, missingTool: null });
  send(stage, voice, { ...result, callId, verdict });
}

/** An earlier warning of the run, whatever became of it. */
function claimed(stage: Stage, run: string, { claims }: Manner): Delivered[] {
  if (claims === null) return [];
  const said = stage.log.flatMap(({ verdicts }) =>
    verdicts.filter(({ runId, level }) => runId === run && level > 0),
  );
  const old = said.at(-1 - claims);
  return old === undefined ? [] : [{ epoch: old.epoch, warning: old.warning, level: old.level }];
}

/** Decides like a gateway, then calls, refuses or disobeys. Null: the call was not made. */
export function attempt(stage: Stage, voice: Voice, made: OpenCall & { manner: Manner }): OpenCall | null {
  const { call, callId, manner } = made;
  const { action, verdict } = decide(stage.standings, { runId: voice.run, ...call });
  if (verdict !== null && action !== 'warn' && manner.obeys) {
    if (manner.reports) veto(stage, voice, { call, callId, verdict });
    return null;
  }
  const warned = verdict !== null && action === 'warn' && manner.handsOut;
  const handed = warned ? [handOut(stage.standings, verdict)] : [];
  const delivered = [...handed, ...claimed(stage, voice.run, manner)];
  send(stage, voice, { type: 'tool_call', callId, ...call, ...NOTHING_MORE, delivered, despite: null });
  const opened = { call, callId };
  stage.open.set(voice.run, [opened, ...(stage.open.get(voice.run) ?? [])]);
  return opened;
}

/** Takes a call off the list of those without an answer. */
export function close(stage: Stage, run: string, opened: OpenCall): void {
  const others = (stage.open.get(run) ?? []).filter((other) => other !== opened);
  stage.open.set(run, others);
}
