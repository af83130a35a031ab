import type { Decision, DespiteWhy, Verdict } from '@loopwarden/detection';

/** How much a decision counts here and now. */
interface Circumstances {
  /** False: the policy stops all enforcement. */
  readonly enforce: boolean;
  /** The detectors of the partition are silent, and stale verdicts are not enforced here. */
  readonly stale: boolean;
  /** The host cannot refuse this call. */
  readonly unstoppable: boolean;
}

/** What is done with a call, and the verdict that would have refused it. */
export interface Weighed {
  /** Null: the call runs without a word. */
  readonly verdict: Verdict | null;
  readonly despite: { readonly verdict: Verdict; readonly why: DespiteWhy } | null;
}

/** From what the verdicts say to what this gateway does (wire contract, sections 5 and 9). */
export function weigh({ verdict, shadow }: Decision, circumstances: Circumstances): Weighed {
  const why = verdict === null ? null : whyNot(verdict, circumstances);
  if (verdict !== null && why === null && refuses(verdict)) return { verdict, despite: null };
  const spared = verdict !== null && why !== null && refuses(verdict) ? { verdict, why } : null;
  const shadowed = shadow !== null && refuses(shadow) ? { verdict: shadow, why: 'shadow' as const } : null;
  return { verdict: why === null ? verdict : null, despite: spared ?? shadowed };
}

export function refuses({ action }: Verdict): boolean {
  return action === 'block' || action === 'abort';
}

function whyNot(verdict: Verdict, { enforce, stale, unstoppable }: Circumstances): DespiteWhy | null {
  if (!enforce) return 'off';
  if (stale) return 'stale';
  return unstoppable && refuses(verdict) ? 'unstoppable' : null;
}
