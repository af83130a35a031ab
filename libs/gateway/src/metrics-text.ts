import type { GatewayStats } from './gateway.ts';
import type { Spread } from './tally.ts';

/** One line of a metric. */
interface Series {
  /** What follows the metric's name. */
  readonly suffix?: string;
  /** Apart from the gateway's. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'summary';
  readonly help: string;
  series(stats: GatewayStats): readonly Series[];
}

/** What a name of ours begins with. The detectors' metrics share the first word of it. */
const PREFIX = 'loopwarden_gateway_';

const METRICS: readonly Metric[] = [
  counter('vetoes', 'Calls refused.', ({ vetoes }) => vetoes),
  counter('warnings', 'Warnings handed out.', ({ warnings }) => warnings),
  counter('aborts', 'Runs whose signal was aborted.', ({ aborts }) => aborts),
  counter('late_calls', 'Calls that ran before the verdict that refuses them came.', ({ late }) => late),
  counterByWhy('despite', 'Calls that ran although a known verdict refuses them.', (stats) => stats.despite),
  counter('undecided', 'Strict decisions without a judgement in time.', ({ undecided }) => undecided),
  counter('attached', 'Times that the verdicts of a run were asked for.', ({ attached }) => attached),
  counterByWhy('events_dropped', 'Events that never reach the log.', (stats) => stats.dropped),
  counter('bad_calls', 'Times that a host told what could not be read.', ({ badCalls }) => badCalls),
  counter('records_skipped', 'Control and policy records left out.', ({ skipped }) => skipped),
  counter('zombies', 'Control records of detectors that were replaced.', ({ zombies }) => zombies),
  summary(
    'verdict_to_enforcement_seconds',
    'From the event behind a verdict to what it stopped.',
    (stats) => stats.verdictToEnforcement,
  ),
  summary(
    'lateness_seconds',
    'From the beginning of a late call to its verdict.',
    ({ lateness }) => lateness,
  ),
  gauge('live_runs', 'Runs kept in memory.', ({ runs }) => runs),
  gauge('held_records', 'Events that wait for the log.', ({ held }) => held.records),
  gauge('held_bytes', 'Size of the events that wait for the log.', ({ held }) => held.bytes),
  gauge('log_reachable', '1 while the log does what it is asked.', ({ reachable }) => Number(reachable)),
  gauge(
    'stale_partitions',
    'Partitions that no detector has spoken for in a minute.',
    ({ stale }) => stale.length,
  ),
  gauge(
    'policy_revision',
    'Revision of the policy in force; -1: none.',
    ({ policyRevision }) => policyRevision,
  ),
  gauge('enforcing', '0 while the policy stops all enforcement.', ({ enforce }) => Number(enforce)),
];

/**
 * The stats of the gateways of a process in Prometheus' text format (content type `text/plain; version=0.0.4`), each
 * labelled `gateway` with its id.
 */
export function metricsText(gateways: readonly GatewayStats[]): string {
  return METRICS.map((metric) => textOf(metric, gateways)).join('');
}

function textOf({ name, type, help, series }: Metric, gateways: readonly GatewayStats[]): string {
  const full = `${PREFIX}${name}`;
  const lines = gateways.flatMap((stats) =>
    series(stats).map(({ suffix = '', labels, value }) => {
      return `${full}${suffix}${labelText({ gateway: stats.gatewayId, ...labels })} ${value}`;
    }),
  );
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines, ''].join('\n');
}

function counter(name: string, help: string, count: (stats: GatewayStats) => number): Metric {
  return { name: `${name}_total`, type: 'counter', help, series: (stats) => [{ value: count(stats) }] };
}

type CountsByWhy = (stats: GatewayStats) => Readonly<Record<string, number>>;

function counterByWhy(name: string, help: string, counts: CountsByWhy): Metric {
  const series = (stats: GatewayStats): Series[] =>
    Object.entries(counts(stats)).map(([why, value]) => ({ labels: { why }, value }));
  return { name: `${name}_total`, type: 'counter', help, series };
}

function gauge(name: string, help: string, value: (stats: GatewayStats) => number): Metric {
  return { name, type: 'gauge', help, series: (stats) => [{ value: value(stats) }] };
}

function summary(name: string, help: string, spread: (stats: GatewayStats) => Spread): Metric {
  const series = (stats: GatewayStats): Series[] => {
    const { sumMs, count } = spread(stats);
    return [
      { suffix: '_sum', value: sumMs / 1_000 },
      { suffix: '_count', value: count },
    ];
  };
  return { name, type: 'summary', help, series };
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${parts.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
