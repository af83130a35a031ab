/** Facts of judging that are no verdicts: for logs and counters. */
export type Note =
  /** The post-compaction guard now watches the next outcomes. */
  | { readonly kind: 'armed'; readonly runId: string; readonly windowSize: number }
  /** An event that was seen before. */
  | { readonly kind: 'duplicate'; readonly runId: string; readonly source: string; readonly sequence: number }
  /** Numbers of a source that never came: events were lost. */
  | { readonly kind: 'gap'; readonly runId: string; readonly source: string; readonly missed: number }
  /** A result, release or second end after the run's end. */
  | { readonly kind: 'late'; readonly runId: string; readonly type: string }
  /** An event of a type or with a value that this version does not know. */
  | { readonly kind: 'skipped'; readonly runId: string; readonly type: string }
  /** A result that names no arguments, of a call that is not pending. */
  | { readonly kind: 'orphan'; readonly runId: string }
  /** A release of an earlier epoch, or of a part while an abort stands. */
  | { readonly kind: 'ignored_release'; readonly runId: string }
  /** A gateway refused a call by a verdict that no longer stands. */
  | { readonly kind: 'healed'; readonly runId: string }
  /** A live run was forgotten because the partition holds too many. */
  | { readonly kind: 'forgotten'; readonly runId: string; readonly epoch: number }
  /** A policy took over in this partition. */
  | { readonly kind: 'policy'; readonly revision: number }
  /** A policy whose revision is not above the one in force. */
  | { readonly kind: 'stale_policy'; readonly revision: number }
  /** A policy that is no JSON object: the one in force stays. */
  | { readonly kind: 'refused_policy'; readonly revision: number };
