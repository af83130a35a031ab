import { type Note, verdictId } from '@loopwarden/detection';
import { jsonText } from '../terminal/json-text.ts';
import type { InputTotals } from './read-inputs.ts';
import type { RunReport, VerdictReport } from './report.ts';
import type { RunTotals } from './totals.ts';

/** The documented JSON form of a run: one line each when nothing more is expected of it. */
export function runLine(run: RunReport): string {
  return jsonText({
    type: 'run',
    runId: run.runId,
    agentId: run.agentId,
    sessionId: run.sessionId,
    calls: run.calls,
    tools: Object.fromEntries(run.tools),
    verdicts: run.verdicts,
    firstVerdictAtCall: run.firstVerdictAtCall,
    saved: run.saved,
    startedAt: isoTime(run.startedAt),
    endedAt: isoTime(run.endedAt),
  });
}

/** The documented JSON form of a verdict: one line each, when it comes. */
export function verdictLine({ verdict, ...evidence }: VerdictReport): string {
  const { runId, agentId, sessionId, action, detector, match, pairedTool } = verdict;
  return jsonText({
    type: 'verdict',
    id: verdictId(verdict),
    runId,
    agentId,
    sessionId,
    action,
    detector,
    scope: match.scope,
    tool: match.tool,
    args: evidence.args,
    pairedTool,
    pairedArgs: evidence.otherArgs,
    count: verdict.count,
    threshold: verdict.threshold,
    level: verdict.level,
    observed: verdict.shadow,
    atCall: evidence.atCall,
    calls: evidence.calls,
    sameResult: evidence.sameResult,
    at: isoTime(verdict.at),
    message: verdict.message,
  });
}

/** The documented JSON form of what was read and found: the last line. */
export function summaryLine(
  totals: RunTotals,
  input: InputTotals,
  notes: ReadonlyMap<Note['kind'], number>,
): string {
  const { formats, ...lines } = input;
  return jsonText({
    type: 'summary',
    ...totals,
    input: { files: Object.fromEntries(formats), ...lines },
    notes: Object.fromEntries(notes),
  });
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
