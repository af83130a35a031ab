export { type CallIdentity, describeCall, type RawCall } from './call.ts';
export { canonical, digest, type Hash, MAX_DEPTH, MAX_VALUES } from './canonical.ts';
export { type CallInHand, type Decision, decide } from './decide.ts';
export type * from './event.ts';
export { missingTool } from './missing-tool.ts';
export type { Note } from './note.ts';
export { describeOutcome, type OutcomeIdentity, type RawOutcome } from './outcome.ts';
export {
  type Judgement,
  judge,
  openPartition,
  type Partition,
  type PartitionFacts,
  type PartitionOptions,
  partitionFacts,
} from './partition.ts';
export { compileProfiles, normaliseTool, type Profiles, SHIPPED_PROFILES } from './profiles.ts';
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
