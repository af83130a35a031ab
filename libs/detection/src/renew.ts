import { forget, type Partition } from './partition.ts';
import { inLine } from './recency.ts';
import { settle } from './settle.ts';
import type { Verdict } from './verdict.ts';

/**
 * Begins a new lineage: long-silent runs are forgotten, every other run gets the lineage's number as its
 * epoch and publishes what stands anew from sequence 1. Windows, guards, aborts, levels and event sequences
 * stay; an ended run stays ended (wire contract, section 11).
 */
export function renewPartition(partition: Partition, lineage: number): readonly Verdict[] {
  const { policy, revision, newestAt } = partition;
  partition.lineage = lineage;
  partition.highestEpoch = Math.max(partition.highestEpoch, lineage);
  for (const run of partition.runs.values())
    if (newestAt - run.lastAt > policy.idleMs) forget(partition, run);
  return [...inLine(partition)].flatMap((run) => {
    run.epoch = lineage;
    run.sequence = 0;
    run.extras?.slots.clear();
    for (const warned of run.extras?.warned.values() ?? []) warned.warning = 0;
    const trigger = { source: 'renewal', sequence: 0 };
    return settle(run, { trigger, at: run.lastAt, policy, revision, reason: 'cleared', renew: false });
  });
}
