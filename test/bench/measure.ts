/** One measured number. With `--json` it is one line. */
export interface Measure {
  readonly name: string;
  /** Median of the runs. */
  readonly value: number;
  /** `1/s`, `ms`, `B`, …: what `value` and `baseline` count. */
  readonly unit: string;
  /** Median of what the value is compared with, measured in the same runs; null where there is nothing. */
  readonly baseline: number | null;
  /** `value / baseline`. */
  readonly ratio: number | null;
  readonly runs: number;
}

/** What `x.bench.ts` exports as `bench`. Measures are shown as they come. */
export type Bench = () => AsyncIterable<Measure>;

/** Takes one number: a rate, a duration, a size. */
type Sample = () => number | Promise<number>;

interface MeasureOptions {
  readonly name: string;
  readonly unit: string;
  readonly sample: Sample;
  readonly baseline?: Sample;
  /** At least 5, which is also what is taken when left out. */
  readonly runs?: number;
}

const RUNS_MIN = 5;

/**
 * Takes the medians of at least five runs after one that only warms up. Value and baseline take turns, so
 * that a machine that slows down slows both.
 */
export async function measure({
  name,
  unit,
  sample,
  baseline,
  runs = RUNS_MIN,
}: MeasureOptions): Promise<Measure> {
  if (runs < RUNS_MIN)
    throw new RangeError(`a median of ${runs} runs says little; take at least ${RUNS_MIN}`);
  const values: number[] = [];
  const baselines: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    if (baseline !== undefined) baselines.push(await baseline());
    values.push(await sample());
  }
  const value = median(values.slice(1));
  const against = baseline === undefined ? null : median(baselines.slice(1));
  return { name, value, unit, baseline: against, ratio: against === null ? null : value / against, runs };
}

/** The middle of the values; the mean of the two middle ones when their number is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new RangeError('no values have no median');
  return (low + high) / 2;
}

/** How often `work` was done per second, when one call of it does `count` of what is counted. */
export async function perSecond(count: number, work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (count / (performance.now() - start)) * 1000;
}
