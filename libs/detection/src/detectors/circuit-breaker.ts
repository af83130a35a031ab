import type { Detector } from '../finding.ts';
import { streakFinding } from '../streak.ts';

/** One signature makes no progress for so long that no switch matters any more. */
export const circuitBreaker: Detector = {
  name: 'global_circuit_breaker',
  find({ tallies }, { globalCircuitBreakerThreshold: threshold }) {
    return tallies
      .filter((tally) => tally.streak >= threshold)
      .map((tally) =>
        streakFinding(tally, {
          action: 'block',
          detector: circuitBreaker.name,
          count: tally.streak,
          threshold,
          warningKey: `global:${tally.key}:${tally.outcome}`,
        }),
      );
  },
};
