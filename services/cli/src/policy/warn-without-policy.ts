import type { Logger } from '@loopwarden/runtime';
import { LogError } from '@loopwarden/stream';
import type { Config } from '../config/settings.ts';
import type { OpenedLog } from '../open-log.ts';
import { policyInForce } from './policy-in-force.ts';

/**
 * Says at the start of a service that nothing is detected yet, if so. A log that cannot be read now is no matter of
 * this: the detector tells of it.
 */
export async function warnWithoutPolicy(
  opened: OpenedLog,
  { config, logger }: { readonly config: Config; readonly logger: Pick<Logger, 'warn'> },
): Promise<void> {
  try {
    const current = await policyInForce(opened, config);
    if (current.ok && current.value === null) logger.warn(NO_POLICY);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
  }
}

const NO_POLICY =
  'No policy was applied yet: detectors are off, the guard after compactions is on. Apply one with: loopwarden policy apply';
