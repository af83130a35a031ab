import { isDeepStrictEqual } from 'node:util';
import type { PolicyApplied } from '@loopwarden/detection';
import { LogError } from '@loopwarden/stream';
import type { PolicyRevision, SigningKey } from '@loopwarden/wire';
import type { JsonObject } from '../json-value.ts';
import type { OpenedLog } from '../open-log.ts';
import { signedRecord } from '../operator/signed-record.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import type { Revision } from './revisions.ts';

export interface PolicyToApply {
  readonly document: JsonObject;
  readonly actor: string;
  readonly reason: string;
  /** Null: unsigned. */
  readonly key: SigningKey | null;
  /** In force before; one that says the same is completed instead of followed. */
  readonly newest: Revision | null;
}

export interface AppliedPolicy {
  readonly revision: number;
  /** Of events, each of which has the policy now. */
  readonly partitions: number;
  /** An earlier revision says the same and was written again where it may have been missing. */
  readonly again: boolean;
}

/**
 * Applies a policy (wire contract, section 10): its record in `policies` gives the revision, then every
 * partition of events gets a copy. A copy is the same bytes whenever it is written, and one that a detector
 * has already is passed over, so doing it again completes what was interrupted.
 */
export async function applyPolicy(
  opened: OpenedLog,
  toApply: PolicyToApply,
): Promise<Outcome<AppliedPolicy>> {
  const { document, actor, reason, key, newest } = toApply;
  const again = newest !== null && isDeepStrictEqual(newest.document, document);
  const fresh = { policy: JSON.stringify(document), actor, reason };
  const revision = again ? newest : { ...fresh, ...(await appendRevision(opened, fresh, key)) };
  try {
    const partitions = await appendCopies(opened, revision, key);
    return succeed({ revision: revision.revision, partitions, again });
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    const message = `Revision ${revision.revision} stands in ${opened.topics.policies}, but not in every partition of events: ${error.message} Run the same command again to complete it.`;
    return refuse('apply_interrupted', message);
  }
}

async function appendRevision(
  { log, codec, topics }: OpenedLog,
  revision: PolicyRevision,
  key: SigningKey | null,
): Promise<Pick<Revision, 'revision' | 'at'>> {
  const value = codec.encodePolicyRevision(revision);
  const record = signedRecord({ topic: topics.policies, partition: 0, key: null, value }, key);
  const [position] = await log.writer().append([record]);
  if (position === undefined) throw new Error('An append of one record gave no position.');
  return { revision: position.offset, at: position.timestamp };
}

async function appendCopies(
  { log, codec, topics }: OpenedLog,
  { revision, at, policy, actor, reason }: Pick<Revision, 'revision' | 'at' | 'policy' | 'actor' | 'reason'>,
  key: SigningKey | null,
): Promise<number> {
  const event: PolicyApplied = {
    type: 'policy',
    runId: '*',
    agentId: null,
    sessionId: null,
    gatewayId: 'operator',
    source: 'policy',
    sequence: revision,
    observedAt: at,
    revision,
    policy,
    actor,
    reason,
  };
  const value = codec.encodeEvent(event);
  const ranges = await log.reader.ranges(topics.events);
  const copies = ranges.map(({ partition }) =>
    signedRecord({ topic: topics.events, partition, key: event.runId, value }, key),
  );
  await log.writer().append(copies);
  return copies.length;
}
