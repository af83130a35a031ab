import { type JsonObject, stringAt } from '../json-value.ts';

/** An event in the public JSON form: what replay, the edge and test cases speak, before digests. */
export interface PublicEvent {
  readonly type: string;
  /** Missing only on events of no run. */
  readonly runId?: string;
  readonly [field: string]: unknown;
}

/** An object that is meant as an event, as it stands; its reader says what is wrong with it. */
export function asEvent(object: JsonObject): PublicEvent {
  const runId = stringAt(object, 'runId');
  return { ...object, type: stringAt(object, 'type') ?? '', ...(runId === null ? {} : { runId }) };
}
