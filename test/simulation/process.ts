import {
  type Context,
  type Detector,
  type Restored,
  runDetector,
  SILENT,
  type Time,
} from '@loopwarden/detector/parts';
import type { GroupHandlers, Log, OutRecord } from '@loopwarden/stream';
import { codec, TOPICS } from '../station.ts';
import { OTHER_ENGINE } from './engine.ts';
import { layoutOf } from './layout.ts';
import { lineageOf } from './ledger.ts';
import { below, happens, type World } from './world.ts';

/** A mistake put between a detector and its surroundings. */
export interface Mistake {
  log?(log: Log): Log;
  context?(context: Context): Context;
}

/** A detector as one process of a world. */
export interface SimulatedProcess {
  readonly name: string;
  readonly ticks: Set<() => void>;
  /** Its group thinks it dead and it does not know. */
  expelled: boolean;
  /** It hears no answer until it thaws. */
  frozen: { readonly thawed: Promise<void>; thaw(): void } | undefined;
  detector: Detector | null;
}

export function startProcess(world: World, name: string, mistake: Mistake): SimulatedProcess {
  const { log: spoilLog = (log) => log, context: spoil = (context) => context } = mistake;
  const process: SimulatedProcess = {
    name,
    ticks: new Set(),
    expelled: false,
    frozen: undefined,
    detector: null,
  };
  world.processes.push(process);
  const layout = layoutOf(world, name);
  const engine: Mistake = world.mode === 'upgraded' && happens(world, 0.5) ? OTHER_ENGINE : {};
  const watchedLog = watched(world, name);
  const log = spoilLog(engine.log?.(watchedLog) ?? watchedLog);
  const own: Context = {
    topics: TOPICS,
    reader: log.reader,
    writer: log.writer(),
    stateWriter: log.writer(),
    codec,
    findSchema: async () => null,
    operatorKeys: null,
    maxRuns: world.maxRuns,
    layout,
    time: scheduled(world, process),
    facts: {
      ...SILENT,
      restored: (restored) => noteOrigin(world, name, restored),
      logFailed: (detail) => noteFailure(world, name, detail),
      stateFailed: (_partition, detail) => noteFailure(world, name, detail),
    },
  };
  const context = spoil(engine.context?.(own) ?? own);
  runDetector({ context, log, group: 'detectors', clientId: name }).then(
    (detector) => {
      process.detector = detector;
    },
    () => stopProcess(world, process),
  );
  return process;
}

/** The process is dead: it is not among the living, and its line to the broker is cut. */
export function stopProcess({ broker, processes, dead }: World, process: SimulatedProcess): void {
  const index = processes.indexOf(process);
  if (index < 0) return;
  processes.splice(index, 1);
  process.ticks.clear();
  broker.crash(process.name);
  dead.push(process.name);
}

/** Time that passes when the seed says so. */
function scheduled(world: World, process: SimulatedProcess): Time {
  const isAlive = (): boolean => world.processes.includes(process);
  return {
    every(_milliseconds, tick, signal) {
      if (signal.aborted) return;
      process.ticks.add(tick);
      signal.addEventListener('abort', () => process.ticks.delete(tick), { once: true });
    },
    pause: (_milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const wake = (): void => {
          if (!isAlive()) return;
          if (process.frozen !== undefined) void process.frozen.thawed.then(() => world.schedule(wake));
          else if (signal.aborted) reject(signal.reason);
          else resolve();
        };
        world.schedule(wake);
      }),
  };
}

/** The log of a process, with an observer: nothing may be published for a partition after it was lost. */
function watched(world: World, name: string): Log {
  const log = world.broker.connect(name);
  world.endings.push(() => void log.close());
  const owned = new Set<number>();
  const watch = (records: readonly OutRecord[]): void => {
    const stray = records.find(({ topic, partition }) => topic === TOPICS.control && !owned.has(partition));
    if (stray !== undefined)
      world.ledger.wrongs.push(`${name} publishes for partition ${stray.partition}, which it lost`);
  };
  return {
    ...log,
    writer() {
      const writer = log.writer();
      return {
        ...writer,
        append(records) {
          watch(records);
          return writer.append(records);
        },
      };
    },
    join: (options, handlers) =>
      log.join({ ...options, batchSize: 1 + below(world, 20) }, owning(world, { name, owned, handlers })),
  };
}

function owning(
  { tell, endings }: World,
  { name, owned, handlers }: { name: string; owned: Set<number>; handlers: GroupHandlers },
): GroupHandlers {
  return {
    ...handlers,
    assigned(assignment) {
      const { partition, committed } = assignment;
      tell(() => `    ${name} is assigned ${partition}, committed ${committed?.offset ?? 'nothing'}`);
      owned.add(partition);
      // A crashed process never hears of its loss, and a signal that never aborts is never forgotten.
      const life = new AbortController();
      assignment.signal.addEventListener('abort', () => life.abort(assignment.signal.reason), { once: true });
      endings.push(() => life.abort());
      return handlers.assigned({ ...assignment, signal: life.signal });
    },
    lost(lost) {
      tell(() => `    ${name} loses ${lost.partition}`);
      owned.delete(lost.partition);
      handlers.lost(lost);
    },
    batch(batch) {
      const [first, last] = [batch.records[0]?.offset, batch.records.at(-1)?.offset];
      tell(() => `    ${name} takes ${batch.partition}:${first} to ${last}`);
      return handlers.batch(batch);
    },
  };
}

function noteOrigin(world: World, name: string, restored: Restored): void {
  const { partition, from, to, loaded, lineage, newLineage } = restored;
  const read = loaded ? 'state' : 'events';
  world.tell(() => `    ${name} restores ${partition} by ${read} from ${from} to ${to}, lineage ${lineage}`);
  if (newLineage === null) return;
  const pages = world.ledger.pages[partition];
  world.tell(() => `      because ${newLineage}`);
  const committed = pages?.commit == null ? 0 : lineageOf(pages.commit);
  // Another one has begun it: the commit of this one, who is late, will be refused.
  if (committed >= lineage) return;
  const of = loaded ? Number(/state is of lineage (\d+)/.exec(newLineage)?.[1] ?? committed) : null;
  pages?.origins.set(lineage, { from, to, of });
}

/** Trouble that no fault of the log and no loss of a partition explains is a mistake of the detector. */
function noteFailure(world: World, name: string, detail: string): void {
  world.tell(() => `    ${name}: ${detail}`);
  const explained =
    /did not answer|was lost|not ours|owns partition|not own partition|aborted|closed|lost events/;
  if (!explained.test(detail)) world.ledger.wrongs.push(`${name}: ${detail}`);
}
