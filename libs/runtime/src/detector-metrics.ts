import { boundedLabel } from './bounded-label.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

/** What a detector counts. Plain functions, so that whoever calls them does not know the metrics library. */
export interface DetectorMetrics {
  /** An event was judged; `type` as in its `type` field. */
  event(type: string): void;
  /** A decoded event changed nothing; `reason` in one word (late, orphan, unknown …). */
  skipped(reason: string): void;
  /** An event was seen before and dropped. */
  duplicate(): void;
  /** A source skipped numbers: `events` of them never came. */
  gap(events: number): void;
  deadLetter(code: string): void;
  /** A verdict was acknowledged by the log. */
  verdict(verdict: { readonly detector: string; readonly action: string; readonly shadow: boolean }): void;
  /** From the triggering event's record timestamp to the verdict's, milliseconds. */
  eventToVerdict(milliseconds: number): void;
  /** A gateway refused a call by a verdict that no longer stands, and was told. */
  healed(): void;
  /** Records between what was judged and the log's end. */
  lag(partition: number, records: number): void;
  liveRuns(partition: number, runs: number): void;
  stateBytes(partition: number, bytes: number): void;
  /** Live runs forgotten because of the bound on runs per partition. */
  forgotten(runs: number): void;
  policyRevision(partition: number, revision: number): void;
  /** The partition waits for something that cannot be reached, or goes on. */
  waiting(partition: number, waits: boolean): void;
  commit(): void;
  /** A commit was refused or failed. */
  commitFailed(): void;
  /** The log driver met trouble. */
  logFailed(): void;
  /** A partition was assigned: it warms up until `restored`. */
  assigned(partition: number): void;
  /** The partition judges; `events`: read again to get there. */
  restored(partition: number, how: { readonly events: number; readonly newLineage: boolean }): void;
  /** The partition is no longer ours: its gauges go. */
  lost(partition: number): void;
}

const LATENCY_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60] as const;
const WARM_UP_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900] as const;

/** Enough for every name that the product has itself, with room for those of a newer writer. */
const LABEL_VALUES = 40;

/**
 * Declares the detector's metrics in a registry; at most one set per registry. `now` is a clock in
 * milliseconds that never goes back, for warm-ups.
 */
export function createDetectorMetrics(
  registry: MetricsRegistry,
  now: () => number = () => performance.now(),
): DetectorMetrics {
  return {
    ...eventMetrics(registry),
    ...verdictMetrics(registry),
    ...logMetrics(registry),
    ...partitionMetrics(registry, now),
  };
}

type EventMetrics = Pick<DetectorMetrics, 'event' | 'skipped' | 'duplicate' | 'gap' | 'deadLetter'>;

function eventMetrics(registry: MetricsRegistry): EventMetrics {
  const events = registry.counter('events_total', 'Events judged.', ['type']);
  const skipped = registry.counter('events_skipped_total', 'Events that changed nothing.', ['reason']);
  const duplicates = registry.counter('duplicates_total', 'Events seen before and dropped.');
  const gaps = registry.counter('sequence_gaps_total', 'Gaps in the sequences of event sources.');
  const missed = registry.counter('events_missed_total', 'Events that such gaps stand for.');
  const letters = registry.counter('dead_letters_total', 'Records that could not be judged.', ['code']);
  const type = boundedLabel(LABEL_VALUES);
  const reason = boundedLabel(LABEL_VALUES);
  const code = boundedLabel(LABEL_VALUES);
  return {
    event: (name) => events({ type: type(name) }),
    skipped: (name) => skipped({ reason: reason(name) }),
    duplicate: () => duplicates(),
    gap: (count) => {
      gaps();
      missed({}, count);
    },
    deadLetter: (name) => letters({ code: code(name) }),
  };
}

type VerdictMetrics = Pick<DetectorMetrics, 'verdict' | 'eventToVerdict' | 'healed'>;

function verdictMetrics(registry: MetricsRegistry): VerdictMetrics {
  const labels = ['detector', 'action', 'shadow'];
  const verdicts = registry.counter('verdicts_total', 'Verdicts published.', labels);
  const latency = registry.histogram(
    'event_to_verdict_seconds',
    'From the record timestamp of an event to that of its verdict.',
    LATENCY_SECONDS,
  );
  const healed = registry.counter('healed_total', 'Refusals by verdicts that no longer stood.');
  const detectors = boundedLabel(LABEL_VALUES);
  return {
    verdict: ({ detector, action, shadow }) =>
      verdicts({ detector: detectors(detector), action, shadow: String(shadow) }),
    eventToVerdict: (milliseconds) => latency(milliseconds / 1000),
    healed: () => healed(),
  };
}

type LogMetrics = Pick<DetectorMetrics, 'commit' | 'commitFailed' | 'logFailed' | 'forgotten'>;

function logMetrics(registry: MetricsRegistry): LogMetrics {
  const commits = registry.counter('commits_total', 'Offsets committed.');
  const failed = registry.counter('commit_failures_total', 'Commits refused or failed.');
  const trouble = registry.counter('log_failures_total', 'Troubles that the log driver met.');
  const forgotten = registry.counter('runs_forgotten_total', 'Live runs forgotten because of the bound.');
  return {
    commit: () => commits(),
    commitFailed: () => failed(),
    logFailed: () => trouble(),
    forgotten: (runs) => forgotten({}, runs),
  };
}

type PartitionMetrics = Omit<DetectorMetrics, keyof (EventMetrics & VerdictMetrics & LogMetrics)>;

function partitionMetrics(registry: MetricsRegistry, now: () => number): PartitionMetrics {
  const gauge = (name: string, help: string) => registry.gauge(name, help, ['partition']);
  const lag = gauge('lag_records', "Records between what was judged and the log's end.");
  const liveRuns = gauge('live_runs', 'Runs kept in memory.');
  const stateBytes = gauge('run_state_bytes', 'Size of the run states as last written.');
  const revision = gauge('policy_revision', 'Revision of the policy in force.');
  const waiting = gauge('waiting', '1 while the partition waits for something that cannot be reached.');
  const assignments = assignmentMetrics(registry, now);
  return {
    lag: (partition, records) => lag.set({ partition }, records),
    liveRuns: (partition, runs) => liveRuns.set({ partition }, runs),
    stateBytes: (partition, bytes) => stateBytes.set({ partition }, bytes),
    policyRevision: (partition, number) => revision.set({ partition }, number),
    waiting: (partition, waits) => waiting.set({ partition }, Number(waits)),
    assigned: assignments.assigned,
    restored: assignments.restored,
    lost: (partition) => {
      assignments.lost(partition);
      for (const metric of [lag, liveRuns, stateBytes, revision, waiting]) metric.remove({ partition });
    },
  };
}

function assignmentMetrics(
  registry: MetricsRegistry,
  now: () => number,
): Pick<DetectorMetrics, 'assigned' | 'restored' | 'lost'> {
  const warming = registry.gauge('warming_up', '1 while an owned partition is not judging yet.', [
    'partition',
  ]);
  const seconds = registry.histogram('warm_up_seconds', 'From assignment to judging.', WARM_UP_SECONDS);
  const replayed = registry.counter('events_replayed_total', 'Events read again during warm-ups.');
  const lineages = registry.counter('lineages_total', 'New lineages begun.');
  const changes = registry.counter('rebalances_total', 'Partitions assigned and lost.', ['change']);
  const began = new Map<number, number>();
  return {
    assigned: (partition) => {
      changes({ change: 'assigned' });
      warming.set({ partition }, 1);
      began.set(partition, now());
    },
    restored: (partition, { events, newLineage }) => {
      warming.set({ partition }, 0);
      replayed({}, events);
      lineages({}, Number(newLineage));
      const start = began.get(partition);
      if (start !== undefined) seconds((now() - start) / 1000);
      began.delete(partition);
    },
    lost: (partition) => {
      changes({ change: 'lost' });
      warming.remove({ partition });
      began.delete(partition);
    },
  };
}
