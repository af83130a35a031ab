/** Headers of a record by name. */
export type HeaderMap = Readonly<Record<string, string>>;

export const HEADERS = {
  /** W3C trace context, handed through as it is. */
  traceparent: 'traceparent',
  /** On events: the writer waits for a progress mark (strict mode). */
  mark: 'lw-mark',
  /** On verdicts: where the event that led to it stands; absent on renewed ones. */
  trigger: 'lw-trigger',
  /** On verdicts and marks: the lineage of the judgement. */
  lineage: 'lw-lineage',
  /** On operators' records: who signed the value, and the signature. */
  signature: 'lw-signature',
} as const;

/** A place in the events topic. */
export interface TriggerPosition {
  readonly partition: number;
  readonly offset: number;
}

export function writeTrigger({ partition, offset }: TriggerPosition): string {
  return `${partition}:${offset}`;
}

/** Null: absent, or no `partition:offset`. */
export function readTrigger(headers: HeaderMap): TriggerPosition | null {
  const [, partition, offset] = /^(\d+):(\d+)$/.exec(headers[HEADERS.trigger] ?? '') ?? [];
  return partition === undefined ? null : { partition: Number(partition), offset: Number(offset) };
}

/** Null: absent, or no decimal number. */
export function readLineage(headers: HeaderMap): number | null {
  const text = headers[HEADERS.lineage] ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}
