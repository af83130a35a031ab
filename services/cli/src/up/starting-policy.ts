import type { Config } from '../config/settings.ts';
import type { OpenedLog } from '../open-log.ts';
import { actorOf } from '../operator/actor.ts';
import { signingKeyOf } from '../operator/operator-keys.ts';
import { applyPolicy } from '../policy/apply-policy.ts';
import { WATCHING } from '../policy/policy-file.ts';
import { policyInForce } from '../policy/policy-in-force.ts';
import { type Outcome, succeed } from '../user-error.ts';

/** What holds once a log is up. */
export interface PolicyAtStart {
  /** Null: the defaults, for nothing was applied. */
  readonly revision: number | null;
  /** For people. */
  readonly text: string;
}

const REASON = 'starting policy: detectors on, thresholds of the reference';

/** Sees to it that detectors are on: a log without any policy gets one, by the way that every policy goes. */
export async function ensurePolicy(opened: OpenedLog, config: Config): Promise<Outcome<PolicyAtStart>> {
  const current = await policyInForce(opened, config);
  if (!current.ok) return current;
  const newest = current.value;
  if (newest !== null) {
    const { revision, actor, reason } = newest;
    return succeed({ revision, text: `revision ${revision}, by ${actor}: ${reason}` });
  }
  const key = signingKeyOf(config);
  if (!key.ok) {
    const text = `none: detectors are off. A starting policy was not applied. ${key.error.message}`;
    return succeed({ revision: null, text });
  }
  const starting = { document: WATCHING, actor: actorOf(undefined), reason: REASON, key: key.value, newest };
  const applied = await applyPolicy(opened, starting);
  if (!applied.ok) return applied;
  const { revision } = applied.value;
  return succeed({
    revision,
    text: `revision ${revision}, applied just now: detectors on, thresholds of the reference`,
  });
}
