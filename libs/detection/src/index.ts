export { type CallInHand, type Decision, decide } from './decide.ts';
export type * from './event.ts';
export type { Note } from './note.ts';
export { type Judgement, judge, openPartition, type Partition, type PartitionOptions } from './partition.ts';
export { renewPartition } from './renew.ts';
export { restorePartition, SAVED_FORMAT, type SavedPartition, savePartition } from './save.ts';
export type { Policy, Settings } from './settings.ts';
export {
  endRun,
  forgetRun,
  type Heard,
  type Hearing,
  handOut,
  hear,
  hearMark,
  openStandings,
  type Standings,
} from './standings.ts';
export type { Action, Mark, ReleaseReason, Verdict } from './verdict.ts';
export { ENGINE, matchKey, signatureKey, verdictId } from './verdict.ts';
