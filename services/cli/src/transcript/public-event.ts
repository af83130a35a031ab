/** An event in the public JSON form: what replay, the edge and test cases speak, before digests. */
export interface PublicEvent {
  readonly type: string;
  /** Missing only on events of no run. */
  readonly runId?: string;
  readonly [field: string]: unknown;
}
