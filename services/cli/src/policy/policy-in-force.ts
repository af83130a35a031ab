import type { Config } from '../config/settings.ts';
import type { OpenedLog } from '../open-log.ts';
import { operatorKeysOf } from '../operator/operator-keys.ts';
import { type Outcome, succeed } from '../user-error.ts';
import { inForce, type Revision, readRevisions } from './revisions.ts';

/** The newest revision that the configured keys let pass; null: no policy was applied. */
export async function policyInForce(opened: OpenedLog, config: Config): Promise<Outcome<Revision | null>> {
  const keys = operatorKeysOf(config);
  if (!keys.ok) return keys;
  return succeed(inForce(await readRevisions(opened, keys.value)));
}
