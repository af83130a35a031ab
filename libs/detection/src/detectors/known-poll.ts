import type { Detector } from '../finding.ts';
import { streakFinding } from '../streak.ts';

/** A call that is known to poll gets the same outcome again and again. */
export const knownPoll: Detector = {
  name: 'known_poll_no_progress',
  find({ tallies }, { knownPollNoProgress, warningThreshold, criticalThreshold }) {
    if (!knownPollNoProgress) return [];
    return tallies
      .filter((tally) => tally.poll && tally.streak >= Math.min(warningThreshold, criticalThreshold))
      .map((tally) => {
        const critical = tally.streak >= criticalThreshold;
        return streakFinding(tally, {
          action: critical ? 'block' : 'warn',
          detector: knownPoll.name,
          count: tally.streak,
          threshold: critical ? criticalThreshold : warningThreshold,
          warningKey: `poll:${tally.key}:${tally.outcome}`,
        });
      });
  },
};
