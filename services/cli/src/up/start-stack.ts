import { start as startDetector } from '@loopwarden/detector';
import { HealthServerError, type Lifecycle, type Logger } from '@loopwarden/runtime';
import type { Config } from '../config/settings.ts';
import { type OpenedLog, openLog } from '../open-log.ts';
import { operatorKeysOf } from '../operator/operator-keys.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { ensurePolicy, type PolicyAtStart } from './starting-policy.ts';

export interface Stack {
  readonly opened: OpenedLog;
  readonly policy: PolicyAtStart;
  /** Of health and metrics; null: switched off. */
  readonly port: number | null;
}

interface StackParts {
  readonly config: Config;
  readonly logger: Logger;
  /** Closes what was started, last first. */
  readonly lifecycle: Pick<Lifecycle, 'closing'>;
}

/** Opens the log, sees to a policy, and starts a detector on it, all in this process. */
export async function startStack({ config, logger, lifecycle }: StackParts): Promise<Outcome<Stack>> {
  const log = await openForService({ config, logger, lifecycle });
  if (!log.ok) return log;
  const opened = log.value;
  const policy = await ensurePolicy(opened, config);
  if (!policy.ok) return policy;
  const port = await addDetector(opened, { config, logger, lifecycle });
  return port.ok ? succeed({ opened, policy: policy.value, port: port.value }) : port;
}

/** Opens the log of a process that stays: the driver speaks through the logger, and the log closes with the process. */
export async function openForService({ config, logger, lifecycle }: StackParts): Promise<Outcome<OpenedLog>> {
  const driver = logger.child('log');
  const opened = await openLog(config, { create: true, say: ({ level, message }) => driver[level](message) });
  if (opened.ok) lifecycle.closing('log', () => opened.value.log.close());
  return opened;
}

/** Starts a detector on an open log; gives the port of its health. */
export async function addDetector(
  opened: OpenedLog,
  { config, logger, lifecycle }: StackParts,
): Promise<Outcome<number | null>> {
  const operatorKeys = operatorKeysOf(config);
  if (!operatorKeys.ok) return operatorKeys;
  const { log, codec, findSchema } = opened;
  const around = {
    log,
    codec,
    findSchema,
    operatorKeys: operatorKeys.value,
    logger: logger.child('detector'),
  };
  try {
    const detector = await startDetector(config, around);
    lifecycle.closing('detector', () => detector.close());
    return succeed(detector.port);
  } catch (error) {
    if (error instanceof HealthServerError) return refuse(error.code, error.message);
    throw error;
  }
}
