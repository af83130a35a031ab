import type { InRecord } from '@loopwarden/stream';
import type { Decoded } from '@loopwarden/wire';
import type { OpenedLog } from '../open-log.ts';
import { jsonText } from '../terminal/json-text.ts';
import { timeText } from '../terminal/time-text.ts';

/**
 * A record as one JSON line: where it stands, its key and headers, and its value decoded; what cannot be
 * decoded says why and carries its bytes in base64.
 */
export function recordJson(opened: OpenedLog, record: InRecord): string {
  const { topic, partition, offset, timestamp, key, headers } = record;
  const place = { topic, partition, offset, timestamp: timeText(timestamp) };
  const value = decodedValue(opened, record);
  return jsonText(
    { ...place, key: key === null ? null : keyText(key), headers, ...value },
    { replacer: plainBytes },
  );
}

function decodedValue(opened: OpenedLog, { topic, value }: InRecord): object {
  if (value === null) return { value: null };
  const decoded = decode(opened, topic, value);
  if (decoded.ok) return { value: decoded.value };
  const { code, detail } = decoded;
  return { undecodable: { code, detail }, bytes: value };
}

/** What the bytes of a topic's record are. */
export function decode({ codec, topics }: OpenedLog, topic: string, value: Uint8Array): Decoded<unknown> {
  switch (topic) {
    case topics.events:
      return codec.decodeEvent(value);
    case topics.control:
      return codec.decodeControl(value);
    case topics.policies:
      return codec.decodePolicyRevision(value);
    case topics.state:
      return codec.decodeState(value);
    default:
      return codec.decodeDeadLetter(value);
  }
}

/** Keys are run ids nearly always; others are shown as bytes. */
function keyText(key: Uint8Array): string | Uint8Array {
  const text = Buffer.from(key).toString();
  return Buffer.from(text).equals(key) ? text : key;
}

/** Bytes as base64. Buffers turn themselves into an object before they would get here as a value. */
export function plainBytes(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as Readonly<Record<string, unknown>>)[key];
  return raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : value;
}
