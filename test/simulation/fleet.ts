import {
  decide,
  endRun,
  handOut,
  type LoopEvent,
  type RunEvent,
  SHIPPED_PROFILES,
  type Verdict,
} from '@loopwarden/detection';
import { partitionOf } from '@loopwarden/stream';
import { codec, digestOf, TOPICS } from '../station.ts';
import type { Call } from './calls.ts';
import { type Ear, openEar } from './ear.ts';
import { below, happens, type World } from './world.ts';

/** A gateway that starts in the middle: it writes `Attach` for the runs that it takes over. */
interface LateGateway {
  readonly name: string;
  readonly ear: Ear;
  /** Offset of its first `Attach`, by run. */
  readonly runs: Map<string, number>;
}

/** The gateways and operators of a world: they write events at once, in the order of each run. */
export interface Fleet {
  readonly world: World;
  /** Of the gateway that serves every run from the beginning. */
  readonly ear: Ear;
  readonly late: LateGateway[];
  /** Highest sequence by run and source. */
  readonly numbers: Map<string, number>;
  /** Copies of policy events that are still to be written. */
  readonly applying: (() => void)[];
}

export function openFleet(world: World): Fleet {
  return { world, ear: openEar(world, 'start'), late: [], numbers: new Map(), applying: [] };
}

type Own<E extends LoopEvent> = E extends LoopEvent
  ? Omit<E, 'runId' | 'agentId' | 'sessionId' | 'gatewayId' | 'source' | 'sequence' | 'observedAt'>
  : never;

/** Writes an event of a run. */
export function send(
  fleet: Fleet,
  runId: string,
  { source = 'g0', ...own }: { source?: string } & Own<RunEvent>,
): void {
  const { world, numbers } = fleet;
  const key = `${runId} ${source}`;
  const sequence = (numbers.get(key) ?? 0) + 1;
  numbers.set(key, sequence);
  const gatewayId = own.type === 'release' ? 'operator' : source;
  const agentId = own.type === 'release' ? null : happens(world, 0.1) ? 'beta' : 'alpha';
  const event = { runId, agentId, sessionId: null, gatewayId, source, sequence, observedAt: 0, ...own };
  const headers = happens(world, 0.2) ? { 'lw-mark': '1' } : {};
  const value = codec.encodeEvent(event as LoopEvent);
  write(world, { partition: partitionOf(runId, world.partitions), key: runId, value, headers });
  const what = 'tool' in own ? `${own.type} ${own.tool}` : own.type;
  world.tell(
    () => `  ${source}#${sequence} ${runId} ${what}${own.type === 'tool_result' ? ` ${own.outcome}` : ''}`,
  );
}

/** Appends a record to an events partition. */
export function write(
  { broker, clock, ledger, random }: World,
  record: {
    partition: number;
    key: string | Uint8Array | null;
    value: Uint8Array;
    headers?: Record<string, string>;
  },
): void {
  clock.advance(Math.floor(random() * 50));
  const log = broker.partition(TOPICS.events, record.partition);
  log.append({ topic: TOPICS.events, ...record }, { now: clock.now(), timestamps: 'append' });
  const written = log.records.at(-1);
  if (written !== undefined) ledger.pages[record.partition]?.events.push(written);
  log.wake();
}

const MORE = { callId: null, profiles: SHIPPED_PROFILES.version, keyId: null, payload: null, seen: null };

/** One call with its result, or its veto, as the gateway decides. */
export function turn(fleet: Fleet, runId: string, { call, digest }: { call: Call; digest: string }): void {
  const { world, ear } = fleet;
  const { action, verdict } = decide(ear.standings, { runId, ...call });
  if (verdict !== null && action !== 'warn' && happens(world, 0.8)) {
    veto(fleet, runId, { call, verdict });
    return;
  }
  const warned = verdict !== null && action === 'warn' && happens(world, 0.9);
  const delivered = warned ? [handOut(ear.standings, verdict)] : [];
  send(fleet, runId, { type: 'tool_call', ...call, ...MORE, delivered, despite: null });
  if (happens(world, 0.05)) return;
  const missing = call.tool === 'serach';
  const outcome = missing ? 'error' : happens(world, 0.05) ? 'none' : 'result';
  send(fleet, runId, {
    type: 'tool_result',
    ...call,
    ...MORE,
    outcome,
    digest: outcome === 'none' ? null : digestOf(digest),
    missingTool: missing ? call.tool : null,
    verdict: null,
    durationMs: null,
  });
}

/** Says that a call was refused, by which verdict. */
export function veto(
  fleet: Fleet,
  runId: string,
  {
    call,
    verdict,
    source = 'g0',
  }: { call: Call; verdict: Pick<Verdict, 'epoch' | 'sequence'>; source?: string },
): void {
  const { epoch, sequence } = verdict;
  const refused = { outcome: 'vetoed', digest: null, missingTool: null, durationMs: null } as const;
  send(fleet, runId, {
    type: 'tool_result',
    ...call,
    ...MORE,
    ...refused,
    source,
    verdict: { epoch, sequence },
  });
}

export function end(fleet: Fleet, runId: string): void {
  endRun(fleet.ear.standings, runId);
  send(fleet, runId, { type: 'run_end', status: 'completed', verdict: null });
}

/** Appends a revision and begins to write its copies, which may come late and are written in order. */
export function applyPolicy({ world, applying }: Fleet, policy: string): void {
  const { broker, clock, ledger, partitions } = world;
  const archive = broker.partition(TOPICS.policies, 0);
  const value = codec.encodePolicyRevision({ policy, actor: 'op', reason: 'test' });
  const record = { topic: TOPICS.policies, partition: 0, key: null, value };
  const { offset: revision } = archive.append(record, { now: clock.now(), timestamps: 'append' });
  ledger.policies.push(...archive.records.slice(ledger.policies.length));
  clock.advance(1);
  const head = {
    runId: '*',
    agentId: null,
    sessionId: null,
    gatewayId: 'operator',
    source: 'policy',
    observedAt: 0,
  };
  const applied = { type: 'policy', revision, policy, actor: 'op', reason: 'test' } as const;
  const event = codec.encodeEvent({ ...head, ...applied, sequence: revision });
  for (let partition = 0; partition < partitions; partition += 1) {
    applying.push(() => {
      write(world, { partition, key: '*', value: event });
      world.tell(() => `  policy ${revision} in ${partition}`);
    });
  }
}

/** A gateway starts: from now on it hears control, and it attaches to some of the runs. */
export function joinLate(fleet: Fleet, runs: readonly string[]): void {
  const { world, late } = fleet;
  const gateway = { name: `late${late.length}`, ear: openEar(world, 'end'), runs: new Map<string, number>() };
  late.push(gateway);
  for (const runId of runs) if (happens(world, 0.6)) attachLate(fleet, gateway, runId);
  if (gateway.runs.size === 0) attachLate(fleet, gateway, runs[below(world, runs.length)] ?? 'r0');
}

/** What a gateway does when it has missed something: it attaches again. */
export function answerGaps(fleet: Fleet): void {
  for (const gateway of fleet.late) {
    for (const runId of gateway.ear.gaps) if (gateway.runs.has(runId)) attachLate(fleet, gateway, runId);
    gateway.ear.gaps.clear();
  }
}

function attachLate(fleet: Fleet, gateway: LateGateway, runId: string): void {
  const { ledger, partitions } = fleet.world;
  const offset = ledger.pages[partitionOf(runId, partitions)]?.events.length ?? 0;
  if (!gateway.runs.has(runId)) gateway.runs.set(runId, offset);
  send(fleet, runId, { source: gateway.name, type: 'attach' });
}
