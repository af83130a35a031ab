import { circuitBreaker } from './detectors/circuit-breaker.ts';
import { genericRepeat } from './detectors/generic-repeat.ts';
import { knownPoll } from './detectors/known-poll.ts';
import { pingPong } from './detectors/ping-pong.ts';
import { unknownTool } from './detectors/unknown-tool.ts';
import type { Detector, Finding } from './finding.ts';
import { sizeOf, type Window } from './records.ts';
import type { Settings } from './settings.ts';
import { type View, viewOf } from './view.ts';

/** All detectors, in order of precedence among findings of equal severity. */
const DETECTORS: readonly Detector[] = [unknownTool, circuitBreaker, knownPoll, pingPong, genericRepeat];

/**
 * What the detectors say of every match over one window: one finding per match, the most severe, then the
 * first of the table. A blocked tool hides what is said of its signatures.
 */
export function findingsOf(window: Window, settings: Settings): readonly Finding[] {
  if (settings.enabled !== true || sizeOf(window) === 0) return [];
  return findingsIn(viewOf(window, settings), settings);
}

/** What the detectors say of a window as they read it. */
export function findingsIn(view: View, settings: Settings): readonly Finding[] {
  const found: Finding[] = [];
  for (const { find } of DETECTORS) found.push(...find(view, settings));
  return found.length < 2 ? found : mostSevere(found);
}

function mostSevere(found: readonly Finding[]): readonly Finding[] {
  const byMatch = new Map<string, Finding>();
  const blockedTools = new Set<string | null>();
  for (const finding of found) {
    if (finding.match.scope === 'tool') blockedTools.add(finding.match.tool);
    const best = byMatch.get(finding.key);
    if (best === undefined || (best.action === 'warn' && finding.action === 'block'))
      byMatch.set(finding.key, finding);
  }
  return [...byMatch.values()].filter(
    ({ match }) => match.scope !== 'signature' || !blockedTools.has(match.tool),
  );
}

/** How often a warning has come: 1 at the threshold, then one more for each ten. */
export function levelOf(count: number, warningThreshold: number): number {
  return Math.floor((count - warningThreshold) / 10) + 1;
}
