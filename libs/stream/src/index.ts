export type * from './log.ts';
export { LogError } from './log.ts';
export { murmur2, partitionOf } from './partition-of.ts';
export type * from './record.ts';
