import { compilePolicy, judge, type LoopEvent, openPartition, type Partition } from '@loopwarden/detection';

const AT = 1_700_000_000_000;

interface Judging {
  readonly historySize?: number;
}

/** A partition without runs, detectors on. */
export function partitionOf({ historySize = 30 }: Judging = {}): Partition {
  const policy = compilePolicy({ tools: { loopDetection: { enabled: true, historySize } } });
  return openPartition({ policy, revision: -1, maxRuns: 2_000_000 });
}

export function judgeAll(partition: Partition, events: Iterable<LoopEvent>): void {
  for (const event of events) judge(partition, event, AT);
}

/**
 * How often per second, when `work` does `count` of what is counted. Counts the time of this thread alone: what
 * the machine does besides is not the work's.
 */
export function perThreadSecond(count: number, work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (count / (user + system)) * 1_000_000;
}
