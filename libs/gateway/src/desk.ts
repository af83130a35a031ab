import type { Hash, Policy, Standings } from '@loopwarden/detection';
import type { GatewayFact } from './fact.ts';
import type { Settled } from './gateway-options.ts';
import type { Progress } from './progress.ts';
import type { Roster } from './roster.ts';
import type { Scribe } from './scribe.ts';

/** The policy that a gateway goes by. */
interface PolicyInForce {
  readonly policy: Policy;
  /** −1: the defaults. */
  readonly revision: number;
}

/** What the parts of one gateway share. */
export interface Desk {
  readonly options: Settled;
  readonly hash: Hash;
  readonly standings: Standings;
  readonly roster: Roster;
  readonly progress: Progress;
  readonly scribe: Scribe;
  inForce: PolicyInForce;
  /** Aborts when the gateway closes. */
  readonly closing: AbortSignal;
  tell(fact: GatewayFact): void;
}
