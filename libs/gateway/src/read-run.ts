import { eventBreach } from '@loopwarden/wire';
import type { RunToServe } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { shown } from './given.ts';
import { reasonOf } from './reason-of.ts';
import type { RunIdentity } from './served-run.ts';

/** Which run a host means. Throws a `GatewayError` with code `bad_run` for what is none. */
export function readRun(raw: RunToServe): RunIdentity {
  try {
    return identityOf(raw);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    return refuse(`it cannot be read: ${reasonOf(error)}`);
  }
}

function identityOf(raw: unknown): RunIdentity {
  if (typeof raw !== 'object' || raw === null)
    return refuse(`it is ${shown(raw)}; give an object with its runId`);
  const { runId, agentId, sessionId } = raw as Readonly<Record<string, unknown>>;
  if (typeof runId !== 'string') return refuse(`its runId is ${shown(runId)}; give a text`);
  if (!runId.isWellFormed()) return refuse('the run id is no valid UTF-8');
  const identity = { runId, agentId: nameOf('agentId', agentId), sessionId: nameOf('sessionId', sessionId) };
  const breach = eventBreach({
    type: 'attach',
    ...identity,
    gatewayId: '',
    source: '',
    sequence: 1,
    observedAt: 0,
  });
  return breach === null ? identity : refuse(breach.detail);
}

function nameOf(field: string, name: unknown): string | null {
  if (typeof name === 'string') return name;
  if (name === undefined || name === null) return null;
  return refuse(`its ${field} is ${shown(name)}; give a text, or leave it out`);
}

function refuse(why: string): never {
  throw new GatewayError('bad_run', `Not a run: ${why}.`);
}
