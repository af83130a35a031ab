import type { Match, Settings } from '@loopwarden/detection';

/** One call with its outcome (null: pending), or an outcome whose call is unknown. */
export interface Entry {
  readonly tool: string;
  readonly args: string;
  readonly callId: string | null;
  readonly poll: boolean;
  outcome: string | null;
  missing: string | null;
}

export interface Finding {
  readonly action: 'warn' | 'block' | 'abort';
  readonly detector: string;
  readonly count: number;
  readonly threshold: number;
  readonly pairedTool: string | null;
  readonly key: string;
  /** Warnings only: the level, and the signatures that keep the key remembered. */
  readonly level: number;
  readonly signatures: readonly string[];
}

export interface Signature {
  readonly tool: string;
  readonly args: string;
}

/** The name of a signature, or of what a match says in its place. */
export const nameOf = ({ tool, args }: Pick<Match, 'tool' | 'args'>): string => `${tool}:${args}`;

function block(
  detector: string,
  count: number,
  { threshold, key }: { threshold: number; key: string },
): Finding {
  return { action: 'block', detector, count, threshold, key, pairedTool: null, level: 0, signatures: [] };
}

function warn(
  found: { detector: string; count: number; key: string; signatures: string[] },
  settings: Settings,
) {
  const threshold = settings.warningThreshold;
  const level = Math.floor((found.count - threshold) / 10) + 1;
  return { ...found, action: 'warn' as const, threshold, pairedTool: null, level };
}

/** The newest outcomes of one signature that are all equal; pending calls are passed over. */
function noProgress(entries: readonly Entry[], signature: string): { count: number; outcome: string | null } {
  const done = entries.filter((entry) => nameOf(entry) === signature && entry.outcome !== null).reverse();
  const outcome = done[0]?.outcome ?? null;
  const change = done.findIndex((entry) => entry.outcome !== outcome);
  return { count: change === -1 ? done.length : change, outcome };
}

/** The tool whose newest records, side by side, all say that the same tool is missing. */
export function missingTool(
  entries: readonly Entry[],
  settings: Settings,
): { tool: string; found: Finding } | null {
  const newest = entries.at(-1);
  if (settings.enabled !== true || newest === undefined || newest.missing === null) return null;
  const back = entries.toReversed();
  const end = back.findIndex((entry) => entry.tool !== newest.tool || entry.missing !== newest.missing);
  const count = end === -1 ? back.length : end;
  if (count < settings.unknownToolThreshold) return null;
  const threshold = settings.unknownToolThreshold;
  const key = `unknown-tool:${newest.tool}:${newest.missing}`;
  return { tool: newest.tool, found: block('unknown_tool_repeat', count, { threshold, key }) };
}

/** The alternation that a call of `signature` would go on with: its length with that call, and its proof. */
function alternation(entries: readonly Entry[], signature: string) {
  const back = entries.toReversed();
  const last = back[0];
  const other = back.find((entry) => last !== undefined && nameOf(entry) !== nameOf(last));
  if (last === undefined || other === undefined || nameOf(other) !== signature) return null;
  const turns = [nameOf(last), nameOf(other)];
  const end = back.findIndex((entry, index) => nameOf(entry) !== turns[index % 2]);
  const tail = end === -1 ? back : back.slice(0, end);
  if (tail.length < 2) return null;
  const same = (side: number): boolean => {
    const outcomes = tail.filter((_, index) => index % 2 === side).map((entry) => entry.outcome);
    return outcomes.every((outcome) => outcome !== null && outcome === outcomes[0]);
  };
  return {
    count: tail.length + 1,
    proven: same(0) && same(1),
    pairedTool: last.tool,
    pair: turns.toSorted(),
  };
}

function pingPong(entries: readonly Entry[], signature: string, settings: Settings): Finding | null {
  const found = settings.pingPong ? alternation(entries, signature) : null;
  if (found === null) return null;
  const { count, pairedTool, pair } = found;
  const key = `pingpong:${pair.join('|')}`;
  if (found.proven && count >= settings.criticalThreshold) {
    return { ...block('ping_pong', count, { threshold: settings.criticalThreshold, key }), pairedTool };
  }
  if (count < settings.warningThreshold) return null;
  return { ...warn({ detector: 'ping_pong', count, key, signatures: pair }, settings), pairedTool };
}

function poll(streak: { count: number; outcome: string | null }, signature: string, settings: Settings) {
  const detector = 'known_poll_no_progress';
  const { count, outcome } = streak;
  if (!settings.knownPollNoProgress) return null;
  const key = `poll:${signature}:${outcome}`;
  const threshold = settings.criticalThreshold;
  if (count >= threshold) return block(detector, count, { threshold, key });
  if (count < settings.warningThreshold) return null;
  return warn({ detector, count, key, signatures: [signature] }, settings);
}

function repeat(entries: readonly Entry[], signature: string, settings: Settings): Finding | null {
  const detector = 'generic_repeat';
  const { count, outcome } = noProgress(entries, signature);
  const threshold = settings.criticalThreshold;
  const calls = entries.filter((entry) => nameOf(entry) === signature).length;
  if (!settings.genericRepeat) return null;
  if (count >= threshold)
    return block(detector, count, { threshold, key: `generic:${signature}:${outcome}` });
  if (calls < settings.warningThreshold) return null;
  return warn({ detector, count: calls, key: `generic:${signature}`, signatures: [signature] }, settings);
}

/** What the detectors say of one signature: the most severe finding, then the reference's order. */
export function findingOf(entries: readonly Entry[], signature: string, settings: Settings): Finding | null {
  if (settings.enabled !== true) return null;
  const streak = noProgress(entries, signature);
  const threshold = settings.globalCircuitBreakerThreshold;
  const key = `global:${signature}:${streak.outcome}`;
  const polls = entries.some((entry) => nameOf(entry) === signature && entry.poll);
  const found = [
    streak.count >= threshold ? block('global_circuit_breaker', streak.count, { threshold, key }) : null,
    polls ? poll(streak, signature, settings) : null,
    pingPong(entries, signature, settings),
    polls ? null : repeat(entries, signature, settings),
  ].filter((finding) => finding !== null);
  return found.find((finding) => finding.action === 'block') ?? found[0] ?? null;
}
