// What tests and benches put together themselves, in place of `start`.
export { readCommitMetadata, writeCommitMetadata } from './commit-metadata.ts';
export type { Context } from './context.ts';
export { type Detector, runDetector } from './detector.ts';
export { type Facts, type Restored, SILENT } from './facts.ts';
export { type TopicNames, topicNames } from './names.ts';
export { observe } from './observe.ts';
export type { StateLayout } from './state/layout.ts';
export { STATE_LAYOUT } from './state/layout.ts';
export { loadState, readStates } from './state/load.ts';
export { type Keeper, keeperOf } from './state/save.ts';
export { type Checksum, checksum, readName, snapshotOf } from './state/snapshot.ts';
export type { Task } from './task.ts';
export { systemTime, type Time } from './time.ts';
