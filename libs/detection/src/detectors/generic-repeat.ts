import type { Detector, Finding } from '../finding.ts';
import type { Settings } from '../settings.ts';
import { streakFinding } from '../streak.ts';
import type { Tally } from '../view.ts';

/**
 * The same call again and again: a warning counts calls whatever came back, a block counts equal outcomes in
 * a row. Known polls are left to their own detector (as OpenClaw 2026.7 does).
 */
export const genericRepeat: Detector = {
  name: 'generic_repeat',
  find({ tallies }, settings) {
    if (!settings.genericRepeat) return [];
    return tallies.flatMap((tally) => (tally.poll ? [] : repeatOf(tally, settings)));
  },
};

function repeatOf(tally: Tally, { warningThreshold, criticalThreshold }: Settings): readonly Finding[] {
  const detector = genericRepeat.name;
  if (tally.streak >= criticalThreshold) {
    const warningKey = `generic:${tally.key}:${tally.outcome}`;
    const count = tally.streak;
    return [
      streakFinding(tally, { action: 'block', detector, count, threshold: criticalThreshold, warningKey }),
    ];
  }
  if (tally.count < warningThreshold) return [];
  const warningKey = `generic:${tally.key}`;
  const count = tally.count;
  return [streakFinding(tally, { action: 'warn', detector, count, threshold: warningThreshold, warningKey })];
}
