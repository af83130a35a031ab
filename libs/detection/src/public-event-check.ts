import { isPlainObject, type PlainObject } from './plain-object.ts';
import { FIELD_RULES } from './public-field-rules.ts';

/** Why a public event is refused. Stable: programs may branch on it. */
export type PublicEventCode =
  | 'not_an_object'
  | 'unknown_type'
  | 'unknown_field'
  | 'missing_field'
  | 'wrong_value';

export interface PublicEventRefusal {
  readonly ok: false;
  readonly code: PublicEventCode;
  /** Names the field and says what to do. */
  readonly detail: string;
}

interface Shape {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

const ALWAYS = ['type', 'agentId', 'sessionId', 'gatewayId', 'source', 'sequence', 'at'];

const SHAPES: ReadonlyMap<unknown, Shape> = new Map([
  ['attach', { required: ['runId'], optional: [] }],
  ['tool_call', { required: ['runId', 'tool'], optional: ['callId', 'args', 'delivered'] }],
  [
    'tool_result',
    { required: ['runId', 'tool'], optional: ['callId', 'args', 'result', 'error', 'durationMs', 'verdict'] },
  ],
  ['compaction', { required: ['runId'], optional: ['retry'] }],
  ['run_end', { required: ['runId', 'status'], optional: ['verdict'] }],
  ['release', { required: ['runId'], optional: ['match', 'epoch', 'actor', 'reason'] }],
  ['policy', { required: ['policy'], optional: ['runId', 'actor', 'reason'] }],
]);

/**
 * Why a value is no public event; null: it is one. A field that the type does not have is refused: a misspelt
 * `args` would otherwise make all calls of a tool look alike.
 */
export function checkPublicEvent(json: unknown): PublicEventRefusal | null {
  if (!isPlainObject(json)) return refusal('not_an_object', 'An event is a JSON object.');
  const shape = SHAPES.get(json.type);
  if (shape === undefined) {
    const is = typeof json.type === 'string' ? `, and is "${shown(json.type)}"` : '';
    return refusal('unknown_type', `type must be one of ${[...SHAPES.keys()].join(', ')}${is}.`);
  }
  return unknownField(json, shape) ?? missingField(json, shape) ?? wrongValue(json);
}

function unknownField(json: PlainObject, { required, optional }: Shape): PublicEventRefusal | null {
  const known = [...ALWAYS, ...required, ...optional];
  const field = Object.keys(json).find((key) => !known.includes(key));
  if (field === undefined) return null;
  return refusal(
    'unknown_field',
    `${json.type} has no field "${shown(field)}"; it knows ${known.join(', ')}.`,
  );
}

function missingField(json: PlainObject, { required }: Shape): PublicEventRefusal | null {
  const field = required.find((key) => json[key] === undefined);
  return field === undefined ? null : refusal('missing_field', `${json.type} needs ${field}.`);
}

function wrongValue(json: PlainObject): PublicEventRefusal | null {
  for (const [field, value] of Object.entries(json)) {
    const rule = FIELD_RULES[field];
    if (value !== undefined && rule !== undefined && !rule.accepts(value)) {
      return refusal('wrong_value', `${field} must be ${rule.expected}.`);
    }
  }
  return null;
}

function refusal(code: PublicEventCode, detail: string): PublicEventRefusal {
  return { ok: false, code, detail };
}

/** Enough of a name to recognise it. */
function shown(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 64)}…`;
}
