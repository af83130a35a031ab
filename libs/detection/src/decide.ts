import type { Digest } from './event.ts';
import { type Standings, wasHandedOut } from './standings.ts';
import { signatureKey, type Verdict } from './verdict.ts';

/** A call that a gateway is about to make. */
export interface CallInHand {
  readonly runId: string;
  readonly tool: string;
  readonly args: Digest;
}

export interface Decision {
  readonly action: 'allow' | 'warn' | 'block' | 'abort';
  /** The verdict that decides; null for allow. */
  readonly verdict: Verdict | null;
  /** The shadow verdict that would decide if it were enforced. */
  readonly shadow: Verdict | null;
}

const ALLOW: Decision = { action: 'allow', verdict: null, shadow: null };

/**
 * What the verdicts that stand say of a call: the run's abort, else the block of its tool, else the slot of
 * its signature, else allow. A warning level that was handed out is not handed out again.
 */
export function decide(standings: Standings, call: CallInHand): Decision {
  const run = standings.runs.get(call.runId);
  if (run === undefined) return ALLOW;
  const shadow = run.shadows.size === 0 ? null : slotFor(run.shadows, call);
  const verdict = run.slots.size === 0 ? null : slotFor(run.slots, call);
  if (verdict === null || verdict.action === 'release') return { ...ALLOW, shadow };
  if (verdict.action === 'warn' && wasHandedOut(standings, verdict)) return { ...ALLOW, shadow };
  return { action: verdict.action, verdict, shadow };
}

function slotFor(slots: ReadonlyMap<string, Verdict>, { tool, args }: CallInHand): Verdict | null {
  return slots.get('run') ?? slots.get(`tool:${tool}`) ?? slots.get(signatureKey(tool, args)) ?? null;
}
