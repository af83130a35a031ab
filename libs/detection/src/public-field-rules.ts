import { readIsoTime } from './iso-time.ts';
import { isPlainObject } from './plain-object.ts';
import { MAX_POLICY_LENGTH } from './policy-document.ts';

/** UTF-8 bytes of an id or a tool name at most. */
const MAX_ID_BYTES = 256;
/** Some models put more than a name into a call id. */
const MAX_CALL_ID_BYTES = 2_048;
/** Characters of what a person writes. */
const MAX_TEXT_LENGTH = 4_096;
/** Warnings that one call may hand out. */
const MAX_DELIVERED = 64;

const MAX_INT32 = 2 ** 31 - 1;

/** The last millisecond of the year 9999: as far as ISO 8601 goes. */
const LATEST_MS = 253_402_300_799_999;

/** What a field of a public event may hold; `expected` completes "… must be". */
interface FieldRule {
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
}

const id: FieldRule = {
  accepts: (value) => isText(value, MAX_ID_BYTES) && value.trim() !== '',
  expected: `well-formed text of 1 to ${MAX_ID_BYTES} bytes that is not blank`,
};
const text: FieldRule = {
  accepts: (value) => typeof value === 'string' && value.isWellFormed() && value.length <= MAX_TEXT_LENGTH,
  expected: `well-formed text of at most ${MAX_TEXT_LENGTH} characters`,
};
const anything: FieldRule = { accepts: () => true, expected: 'any value' };

/** One rule for each field that a public event may have. */
export const FIELD_RULES: Readonly<Record<string, FieldRule>> = {
  type: anything,
  runId: id,
  agentId: orNull(id),
  sessionId: orNull(id),
  gatewayId: id,
  source: id,
  sequence: { accepts: (value) => isWhole(value, 1), expected: 'a whole number of at least 1' },
  at: {
    accepts: isTime,
    expected: 'milliseconds since 1970 and before the year 10000, or an ISO 8601 time with an offset',
  },
  callId: orNull({
    accepts: (value) => isText(value, MAX_CALL_ID_BYTES),
    expected: `well-formed text of at most ${MAX_CALL_ID_BYTES} bytes`,
  }),
  tool: {
    accepts: (value) => isText(value, MAX_ID_BYTES),
    expected: `well-formed text of at most ${MAX_ID_BYTES} bytes`,
  },
  args: anything,
  result: anything,
  error: anything,
  durationMs: orNull({
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= MAX_INT32,
    expected: `a number from 0 to ${MAX_INT32}`,
  }),
  delivered: {
    accepts: (value) => Array.isArray(value) && value.length <= MAX_DELIVERED && value.every(isDelivered),
    expected: `a list of at most ${MAX_DELIVERED} times {epoch, warning, level}`,
  },
  verdict: orNull({ accepts: isRef, expected: '{epoch, sequence}' }),
  retry: { accepts: (value) => typeof value === 'boolean', expected: 'true or false' },
  status: {
    accepts: (value) => value === 'completed' || value === 'failed' || value === 'aborted',
    expected: '"completed", "failed" or "aborted"',
  },
  policy: { accepts: isPolicy, expected: `an object of at most ${MAX_POLICY_LENGTH} characters as JSON` },
  match: orNull({
    accepts: isMatch,
    expected: '{"scope": "signature", "tool", "args"?}, {"scope": "tool", "tool"} or {"scope": "run"}',
  }),
  epoch: orNull({ accepts: (value) => isWhole(value, 0), expected: 'a whole number' }),
  actor: text,
  reason: text,
};

function orNull({ accepts, expected }: FieldRule): FieldRule {
  return { accepts: (value) => value === null || accepts(value), expected: `${expected}, or null` };
}

/** Bytes of one UTF-16 code unit in UTF-8, at most. */
const UNIT_BYTES_MAX = 3;

/** Text whose UTF-8 form can be read back, of at most so many bytes. */
function isText(value: unknown, maxBytes: number): value is string {
  return (
    typeof value === 'string' &&
    value.length <= maxBytes &&
    value.isWellFormed() &&
    (value.length * UNIT_BYTES_MAX <= maxBytes || new TextEncoder().encode(value).length <= maxBytes)
  );
}

function isWhole(value: unknown, least: number, most: number = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' ? readIsoTime(value) !== null : isWhole(value, 0, LATEST_MS);
}

function isDelivered(value: unknown): boolean {
  return (
    hasOnly(value, ['epoch', 'warning', 'level']) &&
    isWhole(value.epoch, 0) &&
    isWhole(value.warning, 1, MAX_INT32) &&
    isWhole(value.level, 1, MAX_INT32)
  );
}

function isRef(value: unknown): boolean {
  return (
    hasOnly(value, ['epoch', 'sequence']) && isWhole(value.epoch, 0) && isWhole(value.sequence, 1, MAX_INT32)
  );
}

function isMatch(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  if (value.scope === 'run') return hasOnly(value, ['scope']);
  const fields = value.scope === 'signature' ? ['scope', 'tool', 'args'] : ['scope', 'tool'];
  return (
    (value.scope === 'signature' || value.scope === 'tool') &&
    hasOnly(value, fields) &&
    isText(value.tool, MAX_ID_BYTES)
  );
}

function isPolicy(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  try {
    return JSON.stringify(value).length <= MAX_POLICY_LENGTH;
  } catch {
    return false; // nested too deeply to be written
  }
}

function hasOnly(value: unknown, fields: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isPlainObject(value) && Object.keys(value).every((key) => fields.includes(key));
}
