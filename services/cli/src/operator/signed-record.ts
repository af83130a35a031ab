import type { OutRecord } from '@loopwarden/stream';
import { HEADERS, type SigningKey, signValue } from '@loopwarden/wire';

/** A record of an operator, signed if there is a key. */
export function signedRecord(
  record: Pick<OutRecord, 'topic' | 'partition' | 'key'> & { readonly value: Uint8Array },
  key: SigningKey | null,
): OutRecord {
  return key === null
    ? record
    : { ...record, headers: { [HEADERS.signature]: signValue(record.value, key) } };
}
