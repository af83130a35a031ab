export type * from './event.ts';
export type { Policy, Settings } from './settings.ts';
export type { Action, Mark, ReleaseReason, Verdict } from './verdict.ts';
export { ENGINE, matchKey, signatureKey, verdictId } from './verdict.ts';
