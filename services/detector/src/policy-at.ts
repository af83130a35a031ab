import { DEFAULT_POLICY, type Policy, readAppliedPolicy } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { HEADERS, verifyValue } from '@loopwarden/wire';
import type { Context } from './context.ts';

interface PolicyInForce {
  readonly policy: Policy;
  /** As JSON text. */
  readonly policyText: string;
  /** −1: the defaults. */
  readonly revision: number;
}

export const DEFAULTS_IN_FORCE: PolicyInForce = { policy: DEFAULT_POLICY, policyText: '{}', revision: -1 };

/**
 * The newest revision in the policies topic whose record is older than a time, or the defaults. With operator
 * keys, a revision without a good signature is none.
 */
export async function policyBefore(context: Context, at: number): Promise<PolicyInForce> {
  let found = DEFAULTS_IN_FORCE;
  const read = { topic: context.topics.policies, partition: 0, from: 'start', until: 'end' } as const;
  for await (const { records } of context.reader.read(read)) {
    for (const record of records) if (record.timestamp < at) found = revisionIn(context, record) ?? found;
  }
  return found;
}

function revisionIn({ codec, operatorKeys: keys }: Context, record: InRecord): PolicyInForce | null {
  const { value, headers, offset, timestamp } = record;
  if (value === null) return null;
  const claim = { header: headers[HEADERS.signature] ?? null, at: timestamp };
  if (keys !== null && !verifyValue(value, { ...claim, keys }).ok) return null;
  const decoded = codec.decodePolicyRevision(value);
  const policy = decoded.ok ? readAppliedPolicy(decoded.value.policy) : null;
  return decoded.ok && policy !== null
    ? { policy, policyText: decoded.value.policy, revision: offset }
    : null;
}
