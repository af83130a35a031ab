import { canonical, digest, type Hash } from './canonical.ts';
import type { Digest } from './event.ts';
import { normaliseTool, type Profiles, profileOf } from './profiles.ts';
import { covers } from './tool-profile.ts';

/** A call as a gateway sees it. */
export interface RawCall {
  readonly tool: string;
  /** Undefined when the call has none; not the same as null. */
  readonly args?: unknown;
}

/** A call as the log knows it: its signature, and whether it polls. */
export interface CallIdentity {
  readonly tool: string;
  readonly args: Digest;
  readonly poll: boolean;
}

/** The identity of a call. Takes any arguments and never throws. */
export function describeCall(call: RawCall, profiles: Profiles, hash: Hash): CallIdentity {
  const tool = normaliseTool(call.tool, profiles);
  return {
    tool,
    args: digest(hash, canonical(call.args)),
    poll: covers(profileOf(tool, profiles).polls, call.args),
  };
}
