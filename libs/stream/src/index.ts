export { batches } from './batches.ts';
export { byPartition, type InPartition } from './by-partition.ts';
export { fold } from './fold.ts';
export type * from './log.ts';
export { LogError } from './log.ts';
export { partitionOf } from './partition-of.ts';
export type * from './record.ts';
