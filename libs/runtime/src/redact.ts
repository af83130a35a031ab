const SECRET = /pass(word|phrase)|secret|token|authorization|cookie|credential|key$/i;
/** Fields that hold what agents said or saw; of those only a digest may pass. */
const PAYLOAD = /^(payload|args|arguments|params|result|body|content|value)$/i;
const DIGEST = /^[0-9a-f]{32}$/;
const CREDENTIALS_IN_URL = /(\w:\/\/)[^\s/@]+@/g;

const DEPTH = 6;
const ITEMS = 50;
const LETTERS = 2000;

/**
 * A copy of a log line's fields that is fit to be written: secrets and payloads by field name at any depth,
 * credentials in addresses, bytes and errors as plain data, and a bound on everything. Never throws for
 * cycles or big integers.
 */
export function redact(fields: object): Record<string, unknown> {
  return copyObject(fields, 0);
}

/** The same for text: credentials in addresses are taken out and length is bounded. */
export function redactText(text: string): string {
  const clean = text.replace(CREDENTIALS_IN_URL, '$1[redacted]@');
  return clean.length > LETTERS ? `${clean.slice(0, LETTERS)}… (${clean.length} letters)` : clean;
}

function copyObject(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).slice(0, ITEMS);
  return Object.fromEntries(entries.map(([key, child]) => [key, copyField(key, child, depth)]));
}

function copyField(key: string, value: unknown, depth: number): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (SECRET.test(key)) return '[redacted]';
  if (PAYLOAD.test(key) && !(typeof value === 'string' && DIGEST.test(value))) return '[omitted]';
  return copyValue(value, depth + 1);
}

function copyValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH) return '[deep]';
  if (value instanceof Error) return copyError(value, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return value;
  if (value instanceof URL) return redactText(value.href);
  if (value instanceof Map) return copyObject(Object.fromEntries(value), depth);
  if (value instanceof Set) return copyValue([...value], depth);
  if (Array.isArray(value)) return value.slice(0, ITEMS).map((item) => copyValue(item, depth + 1));
  return copyObject(value, depth);
}

/** An error as data. Its own fields follow the same rules: clients hang requests with headers on errors. */
function copyError(error: Error, depth: number): Record<string, unknown> {
  return {
    type: error.name,
    message: redactText(error.message),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...copyObject(error, depth),
    ...(error instanceof AggregateError ? { errors: copyValue(error.errors, depth + 1) } : {}),
    ...(error.cause === undefined ? {} : { cause: copyValue(error.cause, depth + 1) }),
  };
}
