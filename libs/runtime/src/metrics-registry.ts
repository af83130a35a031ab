import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string | number>>;

/** What every metric of ours is called first. */
export const METRIC_PREFIX = 'loopwarden_';

/** Declares metrics and renders them; the one place that knows the metrics library. */
export interface MetricsRegistry {
  /** Counts up by `by` (default 1). */
  counter(name: string, help: string, labels?: readonly string[]): (labels?: Labels, by?: number) => void;
  gauge(name: string, help: string, labels?: readonly string[]): GaugeMetric;
  /** `buckets` are upper bounds in the metric's unit. */
  histogram(name: string, help: string, buckets: readonly number[]): (value: number) => void;
  /** Every metric, in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
  /** Names of all metrics, those of Node.js included. */
  names(): readonly string[];
}

interface GaugeMetric {
  set(labels: Labels, value: number): void;
  /** Drops the series, so that nothing stale is shown. */
  remove(labels: Labels): void;
}

/**
 * A registry of its own, not the process-wide one. Names get the prefix. `runtime` adds what Node.js tells of
 * itself (event-loop delay, garbage collection, memory, CPU) under the library's usual names.
 */
export function createMetricsRegistry(options: { readonly runtime: boolean }): MetricsRegistry {
  const registry = new Registry();
  const registers = [registry];
  if (options.runtime) collectDefaultMetrics({ register: registry });
  return {
    counter: (name, help, labels = []) => {
      const counter = new Counter({ name: METRIC_PREFIX + name, help, labelNames: [...labels], registers });
      return (values = {}, by = 1) => counter.inc(values, by);
    },
    gauge: (name, help, labels = []) => {
      const gauge = new Gauge({ name: METRIC_PREFIX + name, help, labelNames: [...labels], registers });
      return {
        set: (values, value) => gauge.set(values, value),
        remove: (values) => gauge.remove(values),
      };
    },
    histogram: (name, help, buckets) => {
      const histogram = new Histogram({
        name: METRIC_PREFIX + name,
        help,
        buckets: [...buckets],
        registers,
      });
      return (value) => histogram.observe(value);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
    names: () => registry.getMetricsAsArray().map(({ name }) => name),
  };
}
