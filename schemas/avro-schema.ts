/** An Avro record schema as its file says it. Types inside are any Avro schema: a name, an object, a union. */
export interface AvroRecord {
  readonly type: string;
  readonly name: string;
  readonly namespace?: string;
  readonly doc?: string;
  readonly fields: readonly AvroField[];
}

export interface AvroField {
  readonly name: string;
  readonly doc: string;
  readonly type: unknown;
  readonly default?: unknown;
}

/** Full names of all records that stand in a topic. */
export type RecordName =
  | 'loopwarden.events.Attach'
  | 'loopwarden.events.ToolCall'
  | 'loopwarden.events.ToolResult'
  | 'loopwarden.events.Compaction'
  | 'loopwarden.events.RunEnd'
  | 'loopwarden.events.OperatorRelease'
  | 'loopwarden.events.PolicyApplied'
  | 'loopwarden.control.Verdict'
  | 'loopwarden.control.ProgressMark'
  | 'loopwarden.policies.PolicyRevision'
  | 'loopwarden.deadletters.DeadLetter'
  | 'loopwarden.state.StateChunk'
  | 'loopwarden.state.StateManifest';
