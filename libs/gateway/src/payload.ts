/** Which tools' arguments and results leave the gateway, and in what state. */
export interface Payloads {
  /** Tool names, as normalised. */
  readonly tools: readonly string[];
  /** UTF-8 bytes of one payload (default 8 KiB); the rest is cut. */
  readonly maxBytes?: number;
  /** Called after secrets were taken out by name; what it returns is written instead. A promise is not waited for: nothing is. */
  readonly redact?: (payload: unknown, tool: string) => unknown;
}

/** An event with its payload must fit into one record. */
export const MAX_PAYLOAD_BYTES = 512 * 1024;
const DEFAULT_BYTES = 8 * 1024;

const SECRET =
  /pass(?:word|phrase|wd)?$|secret|token|api[-_]?key|private[-_]?key|authorization|cookie|credential|session[-_]?id/i;
const BEARER = /\b(bearer|basic)\s+[\w.~+/-]{8,}=*/gi;
const REDACTED = '[redacted]';
const CUT = '…[cut]';

/** The payload of one event as JSON text; null: its tool did not opt in, or it cannot be written. */
export function payloadOf(payloads: Payloads | null, tool: string, raw: unknown): string | null {
  if (payloads === null || !payloads.tools.includes(tool)) return null;
  try {
    const cleaned: unknown = JSON.parse(JSON.stringify(raw, withoutSecrets));
    const redacted = payloads.redact ? payloads.redact(cleaned, tool) : cleaned;
    if (redacted instanceof Promise) {
      redacted.catch(() => {}); // an event does not wait; unheard, a failure would end the process
      return null;
    }
    return cut(JSON.stringify(redacted) ?? 'null', payloads.maxBytes ?? DEFAULT_BYTES);
  } catch {
    return null; // circular, or the user's own redaction threw: rather nothing than something raw
  }
}

function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET.test(key)) return REDACTED;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return { name: value.name, message: value.message.replace(BEARER, REDACTED) };
  return typeof value === 'string' ? value.replace(BEARER, REDACTED) : value;
}

function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(CUT));
  const kept = Buffer.from(text).subarray(0, room).toString('utf8');
  return kept.replace(/\ufffd$/, '') + (maxBytes > Buffer.byteLength(CUT) ? CUT : '');
}
