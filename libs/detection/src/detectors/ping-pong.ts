import { type Detector, signatureMatch } from '../finding.ts';

/**
 * Two signatures in turn. Only the one whose turn is next is hit; a block needs unchanged outcomes on both
 * sides (as OpenClaw 2026.7 does).
 */
export const pingPong: Detector = {
  name: 'ping_pong',
  find({ alternation }, settings) {
    if (!settings.pingPong || alternation === null) return [];
    const { last, other, count, noProgress } = alternation;
    const critical = noProgress && count >= settings.criticalThreshold;
    if (!critical && count < settings.warningThreshold) return [];
    const match = signatureMatch(other);
    return [
      {
        action: critical ? 'block' : 'warn',
        match,
        key: other.key,
        detector: pingPong.name,
        count,
        threshold: critical ? settings.criticalThreshold : settings.warningThreshold,
        warningKey: `pingpong:${[last.key, other.key].sort().join('|')}`,
        keySignatures: [signatureMatch(last), match],
        pairedTool: last.tool,
        missingTool: null,
        oldest: other.oldest,
      },
    ];
  },
};
