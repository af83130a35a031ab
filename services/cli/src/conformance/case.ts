import { isObject, type JsonObject, objectsAt, stringAt } from '../json-value.ts';
import type { PublicEvent } from '../transcript/public-event.ts';

/** A recorded case: events and what a gateway decides, or a policy and what is wrong with it. */
export interface ConformanceCase {
  readonly id: string;
  readonly desc: string;
  readonly policy: JsonObject;
  /** Null: the case is about its policy alone. */
  readonly events: readonly PublicEvent[] | null;
  /** Null: the case says nothing. */
  readonly expect: readonly JsonObject[] | null;
}

/** A case from parsed JSON; null: it is none. */
export function readCase(value: unknown): ConformanceCase | null {
  const id = stringAt(value, 'id');
  if (!isObject(value) || id === null) return null;
  const onPolicy = !Array.isArray(value.events);
  return {
    id,
    desc: stringAt(value, 'desc') ?? '',
    policy: isObject(value.policy) ? value.policy : {},
    events: onPolicy ? null : objectsAt(value, 'events').map(asEvent),
    expect: expectation(onPolicy ? value.issues : value.expect),
  };
}

function asEvent(event: JsonObject): PublicEvent {
  const runId = stringAt(event, 'runId');
  return { ...event, type: stringAt(event, 'type') ?? '', ...(runId === null ? {} : { runId }) };
}

function expectation(value: unknown): readonly JsonObject[] | null {
  return Array.isArray(value) ? value.filter(isObject) : null;
}
