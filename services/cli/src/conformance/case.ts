import { isObject, type JsonObject, stringAt } from '../json-value.ts';
import { asEvent, type PublicEvent } from '../transcript/public-event.ts';

/** A recorded case: events and what a gateway decides, or a policy and what is wrong with it. */
export interface ConformanceCase {
  readonly id: string;
  readonly desc: string;
  /** As recorded: cases on policies hold wrong ones. */
  readonly policy: unknown;
  /** Null: the case is about its policy alone. */
  readonly events: readonly PublicEvent[] | null;
  /** Null: the case says nothing. */
  readonly expect: readonly JsonObject[] | null;
}

/** A case from parsed JSON; null: it is none. */
export function readCase(value: unknown): ConformanceCase | null {
  const id = stringAt(value, 'id');
  if (!isObject(value) || id === null) return null;
  const events = objects(value.events);
  const expect = objects(value.events === undefined ? value.issues : value.expect);
  if (events === undefined || expect === undefined) return null;
  const { policy = {} } = value;
  return { id, desc: stringAt(value, 'desc') ?? '', policy, events: events?.map(asEvent) ?? null, expect };
}

/** Null: there is none. Undefined: it holds something else, and what is left out would move every place after it. */
function objects(value: unknown): readonly JsonObject[] | null | undefined {
  if (value === undefined) return null;
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}
