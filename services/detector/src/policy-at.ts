import { DEFAULT_POLICY, type Policy, readAppliedPolicy } from '@loopwarden/detection';
import type { LogReader } from '@loopwarden/stream';
import type { Codec } from '@loopwarden/wire';

interface PolicyInForce {
  readonly policy: Policy;
  /** As JSON text. */
  readonly policyText: string;
  /** −1: the defaults. */
  readonly revision: number;
}

export const DEFAULTS_IN_FORCE: PolicyInForce = { policy: DEFAULT_POLICY, policyText: '{}', revision: -1 };

/** Where policy revisions are read from. */
interface PolicyArchive {
  readonly reader: LogReader;
  readonly codec: Codec;
  readonly topic: string;
}

/** The newest revision in the policies topic whose record is older than a time, or the defaults. */
export async function policyBefore(archive: PolicyArchive, at: number): Promise<PolicyInForce> {
  let found = DEFAULTS_IN_FORCE;
  const read = { topic: archive.topic, partition: 0, from: 'start', until: 'end' } as const;
  for await (const { records } of archive.reader.read(read)) {
    for (const { value, offset, timestamp } of records) {
      if (value === null || timestamp >= at) continue;
      const decoded = archive.codec.decodePolicyRevision(value);
      if (!decoded.ok) continue;
      const policy = readAppliedPolicy(decoded.value.policy);
      if (policy !== null) found = { policy, policyText: decoded.value.policy, revision: offset };
    }
  }
  return found;
}
