import {
  DEFAULT_POLICY,
  ENGINE,
  judge,
  openPartition,
  type Partition,
  savePartition,
} from '@loopwarden/detection';
import {
  type Context,
  type Keeper,
  keeperOf,
  loadState,
  readStates,
  SILENT,
  STATE_LAYOUT,
  type StateLayout,
  type Task,
} from '@loopwarden/detector/parts';
import type { LogWriter } from '@loopwarden/stream';
import type { MemoryBroker } from '@loopwarden/stream/memory';
import { codec, digestOf, TOPICS } from './station.ts';

/** One owner of partition 0 that judges and saves, without a group around it. */
interface Owner {
  readonly context: Context;
  readonly task: Task;
  readonly keeper: Keeper;
  /** Judges so many events of the one endless workload; they count as acknowledged. */
  judge(count: number): void;
  /** Saves now, and waits until that has succeeded or failed. */
  save(): Promise<void>;
  /** Makes a snapshot due, as time does. */
  tick(): void;
  dead(): void;
}

/** Bytes of a call id: a few runs fill several chunks. */
const LONG = 'x'.repeat(60_000);
const RUNS = 7;

/** Judges the event at an offset of a workload that never changes. */
function judgeAt(fold: Partition, offset: number): void {
  const runId = `run-${offset % RUNS}`;
  const who = { runId, agentId: 'agent', sessionId: null, gatewayId: 'gw', source: 'gw-1', observedAt: 0 };
  const call = { tool: 'read', args: digestOf('aa'), poll: false, profiles: 'p', keyId: null, payload: null };
  const rest = { callId: `${offset} ${LONG}`, delivered: [], seen: null, despite: null };
  const sequence = 1 + Math.floor(offset / RUNS);
  judge(fold, { ...who, ...call, ...rest, type: 'tool_call', sequence }, 1_000_000 + offset);
}

const empty = (): Partition => openPartition({ policy: DEFAULT_POLICY, revision: -1, maxRuns: 100 });

/** What a state that covers the workload up to an offset holds: a plain fold, as text. */
export function plainFold(covered: number): string {
  const fold = empty();
  for (let offset = 0; offset < covered; offset += 1) judgeAt(fold, offset);
  return textOf(fold);
}

function textOf(fold: Partition): string {
  const saved = savePartition(fold);
  const runs = saved.runs.map((run) => Buffer.from(run).toString('latin1'));
  return JSON.stringify({ ...saved, runs: runs.sort() });
}

interface OwnerOptions {
  readonly name: string;
  /** Where its fold begins: what it has judged already. */
  readonly judged?: number;
  /** Keys of the state partition that it knows of. */
  readonly keys?: ReadonlySet<string>;
  readonly stateWriter?: (writer: LogWriter) => LogWriter;
  readonly layout?: StateLayout;
  readonly lineage?: number;
}

export function openOwner(broker: MemoryBroker, options: OwnerOptions): Owner {
  const { name, judged = 0, keys = new Set(), stateWriter = (writer) => writer } = options;
  const { layout = STATE_LAYOUT, lineage = 0 } = options;
  const log = broker.connect(name);
  const ticks = new Set<() => void>();
  const life = new AbortController();
  const context: Context = {
    topics: TOPICS,
    reader: log.reader,
    writer: log.writer(),
    stateWriter: stateWriter(log.writer()),
    codec,
    findSchema: async () => null,
    operatorKeys: null,
    maxRuns: 100,
    layout,
    time: {
      every: (_milliseconds, tick) => void ticks.add(tick),
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    },
    facts: SILENT,
  };
  const task: Task = { partition: 0, signal: life.signal, lineage, fold: empty(), judged: -1, end: 0 };
  const judgeMore = (count: number): void => {
    for (let left = count; left > 0; left -= 1) judgeAt(task.fold, ++task.judged);
  };
  judgeMore(judged);
  const keeper = keeperOf(context, task, keys);
  const tick = (): void => {
    for (const due of ticks) due();
  };
  return {
    context,
    task,
    keeper,
    judge: judgeMore,
    tick,
    async save() {
      tick();
      keeper.offer();
      await keeper.settled();
    },
    dead: () => life.abort(),
  };
}

/** What a new owner finds: the covered offset and the fold as text; null: nothing usable. */
export async function found(
  broker: MemoryBroker,
  end = 1000,
  layout = STATE_LAYOUT,
): Promise<{ covered: number; fold: string } | null> {
  const { context } = openOwner(broker, { name: 'reader', layout });
  const states = await readStates(context, 0);
  const wanted = {
    partition: 0,
    range: { partition: 0, start: 0, end },
    lineage: 0,
    engine: ENGINE,
    maxRuns: 100,
  };
  const loaded = loadState(states, wanted);
  return loaded === null ? null : { covered: loaded.covered, fold: textOf(loaded.fold) };
}

/** The keys that an owner would find. */
export async function keysIn(broker: MemoryBroker): Promise<ReadonlySet<string>> {
  return (await readStates(openOwner(broker, { name: 'reader' }).context, 0)).keys;
}
