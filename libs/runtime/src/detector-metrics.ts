import { boundedLabel } from './bounded-label.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

/** What a detector counts. Plain functions, so that a topology calls them without knowing the metrics library. */
export interface DetectorMetrics {
  /** An event was judged; `type` as in its `type` field. */
  event(type: string): void;
  /** A decoded record was left out: a duplicate of another kind than `duplicate`, or one that no rule hears. */
  skipped(reason: string): void;
  /** An event was seen before and dropped. */
  duplicate(): void;
  /** Sequences of a source were missing: `events` of them. */
  gap(events: number): void;
  /** A verdict was acknowledged by the log. */
  verdict(verdict: { readonly detector: string; readonly action: string; readonly shadow: boolean }): void;
  /** From the triggering event's record timestamp to the verdict's, milliseconds. */
  eventToVerdict(ms: number): void;
  deadLetter(code: string): void;
  mark(): void;
  /** Records between what was judged and the log's end. */
  lag(partition: number, records: number): void;
  liveRuns(partition: number, runs: number): void;
  stateBytes(partition: number, bytes: number): void;
  /** Live runs forgotten because of the bound on runs per partition. */
  forgotten(runs: number): void;
  /** Offsets of a partition were committed. */
  commit(): void;
  /** A commit was refused: the partition belongs to somebody else. */
  commitRefused(): void;
  /** A snapshot of a partition's runs was written whole; `ms`: time it took. */
  snapshot(ms: number): void;
  /** A partition began a new lineage. */
  lineage(): void;
  /** A partition was assigned; it warms up until `warmedUp`. */
  assigned(partition: number): void;
  /** Its state is whole again and it judges; `ms`: time it took; `from`: how the state came about. */
  warmedUp(partition: number, warmUp: { readonly ms: number; readonly from: string }): void;
  /** A partition is no longer ours: its gauges go. */
  lost(partition: number): void;
  policyRevision(partition: number, revision: number): void;
}

const LATENCY_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60] as const;
const DURATION_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900] as const;

/** Enough for every name that the product has itself, with room for those of a newer writer. */
const LABEL_VALUES = 40;

/** Declares the detector's metrics in a registry. At most one set per registry. */
export function createDetectorMetrics(registry: MetricsRegistry): DetectorMetrics {
  return { ...eventMetrics(registry), ...verdictMetrics(registry), ...partitionMetrics(registry) };
}

type EventMetrics = Pick<DetectorMetrics, 'event' | 'skipped' | 'duplicate' | 'gap' | 'deadLetter'>;

function eventMetrics(registry: MetricsRegistry): EventMetrics {
  const events = registry.counter('events_total', 'Events judged.', ['type']);
  const skipped = registry.counter('events_skipped_total', 'Decoded records that no rule hears.', ['reason']);
  const duplicates = registry.counter('duplicates_total', 'Events seen before and dropped.');
  const gaps = registry.counter('sequence_gaps_total', 'Gaps in the sequences of event sources.');
  const lost = registry.counter('events_lost_total', 'Events that such gaps stand for.');
  const letters = registry.counter('dead_letters_total', 'Records that could not be judged.', ['code']);
  const [type, reason, code] = [
    boundedLabel(LABEL_VALUES),
    boundedLabel(LABEL_VALUES),
    boundedLabel(LABEL_VALUES),
  ];
  return {
    event: (name) => events({ type: type(name) }),
    skipped: (name) => skipped({ reason: reason(name) }),
    duplicate: () => duplicates(),
    gap: (count) => {
      gaps();
      lost({}, count);
    },
    deadLetter: (name) => letters({ code: code(name) }),
  };
}

type VerdictMetrics = Pick<DetectorMetrics, 'verdict' | 'eventToVerdict' | 'mark'>;

function verdictMetrics(registry: MetricsRegistry): VerdictMetrics {
  const verdicts = registry.counter('verdicts_total', 'Verdicts published.', [
    'detector',
    'action',
    'shadow',
  ]);
  const latency = registry.histogram(
    'event_to_verdict_seconds',
    'From the record timestamp of an event to that of its verdict.',
    LATENCY_SECONDS,
  );
  const marks = registry.counter('marks_total', 'Progress marks published.');
  const detectors = boundedLabel(LABEL_VALUES);
  return {
    verdict: ({ detector, action, shadow }) =>
      verdicts({ detector: detectors(detector), action, shadow: String(shadow) }),
    eventToVerdict: (ms) => latency(ms / 1000),
    mark: () => marks(),
  };
}

type PartitionMetrics = Omit<DetectorMetrics, keyof EventMetrics | keyof VerdictMetrics>;

function partitionMetrics(registry: MetricsRegistry): PartitionMetrics {
  const gauge = (name: string, help: string) => registry.gauge(name, help, ['partition']);
  const lag = gauge('lag_records', "Records between what was judged and the log's end.");
  const liveRuns = gauge('live_runs', 'Runs kept in memory.');
  const stateBytes = gauge('run_state_bytes', 'Size of the run states as last written.');
  const warming = gauge('warming_up', '1 while a partition is owned and not judging yet, then 0.');
  const revision = gauge('policy_revision', 'Revision of the policy in force.');
  const rebalances = registry.counter('rebalances_total', 'Partitions assigned and lost.', ['change']);
  const warmUps = registry.counter('warm_ups_total', 'Warm-ups by where the state came from.', ['from']);
  const warmUp = registry.histogram(
    'warm_up_seconds',
    'From assignment to the first event judged.',
    DURATION_SECONDS,
  );
  const from = boundedLabel(LABEL_VALUES);
  return {
    ...keepingMetrics(registry),
    lag: (partition, records) => lag.set({ partition }, records),
    liveRuns: (partition, runs) => liveRuns.set({ partition }, runs),
    stateBytes: (partition, bytes) => stateBytes.set({ partition }, bytes),
    policyRevision: (partition, number) => revision.set({ partition }, number),
    assigned: (partition) => {
      rebalances({ change: 'assigned' });
      warming.set({ partition }, 1);
    },
    warmedUp: (partition, { ms, from: origin }) => {
      warming.set({ partition }, 0);
      warmUps({ from: from(origin) });
      warmUp(ms / 1000);
    },
    lost: (partition) => {
      rebalances({ change: 'lost' });
      for (const metric of [lag, liveRuns, stateBytes, warming, revision]) metric.remove({ partition });
    },
  };
}

type KeepingMetrics = Pick<
  DetectorMetrics,
  'forgotten' | 'commit' | 'commitRefused' | 'snapshot' | 'lineage'
>;

function keepingMetrics(registry: MetricsRegistry): KeepingMetrics {
  const forgotten = registry.counter('runs_forgotten_total', 'Live runs forgotten because of the bound.');
  const commits = registry.counter('commits_total', 'Offset commits by outcome.', ['outcome']);
  const snapshot = registry.histogram(
    'snapshot_seconds',
    'Time to write a whole snapshot.',
    DURATION_SECONDS,
  );
  const lineages = registry.counter('lineages_total', 'New lineages begun.');
  return {
    forgotten: (runs) => forgotten({}, runs),
    commit: () => commits({ outcome: 'done' }),
    commitRefused: () => commits({ outcome: 'refused' }),
    snapshot: (ms) => snapshot(ms / 1000),
    lineage: () => lineages(),
  };
}
