export { type CallIdentity, describeCall, type RawCall } from './call.ts';
export { canonical, digest, type Hash, MAX_DEPTH, MAX_VALUES } from './canonical.ts';
export { type CallInHand, type Decision, decide } from './decide.ts';
export type * from './event.ts';
export { type Explained, explainPolicy, type SettingSource } from './explain.ts';
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
export { compilePolicy, DEFAULT_POLICY, type ParsedPolicy, parsePolicy } from './policy.ts';
export { checkPolicy, DEFAULT_RETENTION_MS, type PolicyCheck } from './policy-check.ts';
export type { LoopDetectionBlock, PolicyDocument, ProfilesTable, ToolEntry } from './policy-document.ts';
export { MAX_AGENTS, MAX_POLICY_LENGTH } from './policy-document.ts';
export type { Hint, Issue, IssueKind } from './policy-issue.ts';
export { compileProfiles, normaliseTool, type Profiles, SHIPPED_PROFILES } from './profiles.ts';
export {
  type PublicEvent,
  type PublicEventContext,
  type PublicMatch,
  type ReadPublicEvent,
  readPublicEvent,
} from './public-event.ts';
export type { PublicEventCode, PublicEventRefusal } from './public-event-check.ts';
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
