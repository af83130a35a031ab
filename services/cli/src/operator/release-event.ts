import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  describeCall,
  type Hash,
  type Match,
  normaliseTool,
  type OperatorRelease,
  type Profiles,
} from '@loopwarden/detection';
import { eventBreach } from '@loopwarden/wire';
import { parseJson } from '../json-value.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';

/** What an operator says of the verdicts to lift. */
export interface ReleaseWish {
  readonly run: string;
  readonly tool?: string;
  /** JSON. */
  readonly args?: string;
  readonly epoch?: string;
  readonly actor: string;
  readonly reason: string;
}

/** What digests are made with: what the gateways use. */
interface Digesting {
  readonly profiles: Profiles;
  readonly hash: Hash;
}

/** SHA-256, or its HMAC where there is a secret, in hexadecimal. */
export function hashWith(secret: string | null): Hash {
  return (text) =>
    (secret === null ? createHash('sha256') : createHmac('sha256', secret)).update(text).digest('hex');
}

/** The event that lifts what a wish names, under a source of its own. */
export function releaseEvent(
  { run, tool, args, epoch, actor, reason }: ReleaseWish,
  digesting: Digesting,
  now = Date.now(),
): Outcome<OperatorRelease> {
  const match = matchOf({ tool, args }, digesting);
  if (!match.ok) return match;
  if (epoch !== undefined && !/^\d{1,15}$/.test(epoch)) {
    return refuse(
      'bad_epoch',
      `--epoch must be a whole number, as in a verdict's id (run/epoch.sequence), and is "${epoch}".`,
    );
  }
  const event: OperatorRelease = {
    type: 'release',
    runId: run,
    agentId: null,
    sessionId: null,
    gatewayId: 'operator',
    source: `operator-${randomBytes(6).toString('hex')}`,
    sequence: 1,
    observedAt: now,
    match: match.value,
    epoch: epoch === undefined ? null : Number(epoch),
    actor,
    reason,
  };
  const breach = eventBreach(event);
  return breach === null
    ? succeed(event)
    : refuse(breach.code, `The release cannot be written: ${breach.detail}.`);
}

/** Null: everything that stands against the run. */
function matchOf(
  { tool, args }: { tool: string | undefined; args: string | undefined },
  { profiles, hash }: Digesting,
): Outcome<Match | null> {
  if (tool === undefined) {
    return args === undefined
      ? succeed(null)
      : refuse('tool_missing', '--args needs --tool: name the tool that was called.');
  }
  if (args === undefined) return succeed({ scope: 'tool', tool: normaliseTool(tool, profiles), args: null });
  const value = parseJson(args);
  if (value === undefined) return refuse('bad_args', `--args must be JSON, such as '{"path": "a.ts"}'.`);
  const call = describeCall({ tool, args: value }, profiles, hash);
  return succeed({ scope: 'signature', tool: call.tool, args: call.args });
}
