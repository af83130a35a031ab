import { parsePolicy } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { HEADERS, verifyValue } from '@loopwarden/wire';
import { decodeRecord } from './decode-record.ts';
import type { Desk } from './desk.ts';
import { carryOutAbort } from './standing-abort.ts';

/** Takes one record of `policies` in: the newest that is sound and, where keys are known, signed is followed. */
export async function hearPolicy(desk: Desk, record: InRecord): Promise<void> {
  const { topic, partition, offset } = record;
  const skip = (detail: string): void => desk.tell({ kind: 'skipped', topic, partition, offset, detail });
  if (offset <= desk.inForce.revision) return;
  const decoded = await decodeRecord(desk.options.log, record, (codec, value) =>
    codec.decodePolicyRevision(value),
  );
  if (!decoded.ok) return skip(decoded.detail);
  const distrust = unsigned(desk, record);
  if (distrust !== null) return skip(distrust);
  const parsed = parsePolicy(decoded.value.policy);
  if (!parsed.ok) return skip(parsed.issues.map(({ message }) => message).join(' '));
  const { policy } = parsed;
  desk.inForce = { policy, revision: offset };
  desk.tell({ kind: 'policy', revision: offset, enforce: policy.enforce, profiles: policy.profilesVersion });
  for (const run of desk.roster.all()) carryOutAbort(desk, run);
  desk.progress.pokeAll(); // what waits for a judgement may not have to
}

/** Why a revision is not to be believed; null: it is. */
function unsigned({ options }: Desk, { value, headers, timestamp }: InRecord): string | null {
  if (options.operatorKeys === null || value === null) return null;
  const header = headers[HEADERS.signature] ?? null;
  const verified = verifyValue(value, { header, keys: options.operatorKeys, at: timestamp });
  return verified.ok ? null : verified.detail;
}
