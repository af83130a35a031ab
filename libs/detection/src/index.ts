export { type CallIdentity, describeCall, type RawCall } from './call.ts';
export { canonical, digest, type Hash } from './canonical.ts';
export { type CallInHand, type Decision, decide } from './decide.ts';
export type * from './event.ts';
export { type Explained, explainPolicy } from './explain.ts';
export { type ExplainedRecord, type ExplainedRun, explainRun } from './explain-run.ts';
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
export {
  compilePolicy,
  DEFAULT_POLICY,
  type ParsedPolicy,
  parsePolicy,
  readAppliedPolicy,
} from './policy.ts';
export { checkPolicy, type PolicyCheck } from './policy-check.ts';
export type { PolicyDocument } from './policy-document.ts';
export type { Hint, Issue } from './policy-issue.ts';
export { normaliseTool, type Profiles, SHIPPED_PROFILES } from './profiles.ts';
export {
  type PublicEvent,
  type PublicEventContext,
  type ReadPublicEvent,
  readPublicEvent,
} from './public-event.ts';
export type { PublicEventCode, PublicEventRefusal } from './public-event-check.ts';
export { renewPartition } from './renew.ts';
export {
  beginSave,
  endSave,
  restorePartition,
  SAVED_FORMAT,
  type SavedHead,
  type SavedPartition,
  savePartition,
  saveRuns,
} from './save.ts';
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
