import { type Finding, signatureMatch } from './finding.ts';
import type { Tally } from './view.ts';

/** Everything of a finding about one signature that does not depend on the detector. */
export function streakFinding(
  tally: Tally,
  says: Pick<Finding, 'action' | 'detector' | 'count' | 'threshold' | 'warningKey'>,
): Finding {
  const match = signatureMatch(tally);
  return {
    ...says,
    match,
    key: tally.key,
    keySignatures: [match],
    pairedTool: null,
    missingTool: null,
    oldest: tally.oldest,
  };
}
