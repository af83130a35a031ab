import {
  compilePolicy,
  decide,
  handOut,
  hear,
  judge,
  type LoopEvent,
  openPartition,
  openStandings,
  type PolicyDocument,
  type ToolCall,
  type ToolResult,
} from '@loopwarden/detection';

/** What was done with a call, or would have been. */
type Deed = 'allow' | 'warn' | 'block' | 'abort';

interface Compared {
  readonly callId: string | null;
  readonly done: Deed;
  /** By the policy, judged from all that stands before it in the log. */
  readonly due: Deed;
}

/**
 * The calls of one run in the order of the log, each with what was done and what the policy says. A call that the
 * host could not refuse counts by what would have refused it.
 */
export function asJudged(events: readonly LoopEvent[], document: PolicyDocument): Compared[] {
  const partition = openPartition({ policy: compilePolicy(document), revision: -1 });
  const standings = openStandings();
  const compared: Compared[] = [];
  let time = 1_000;
  for (const event of events) {
    if (isDecision(event)) {
      const { runId, tool, args, callId } = event;
      const { action, verdict } = decide(standings, { runId, tool, args: args ?? '' });
      compared.push({ callId, done: deedOf(event, action), due: action });
      if (action === 'warn' && verdict !== null) handOut(standings, verdict);
    }
    time += 1;
    for (const verdict of judge(partition, event, time).verdicts)
      hear(standings, verdict, { partition: 0, lineage: 0 });
  }
  return compared;
}

/** Vetoes of other guards are no decisions of ours. */
function isDecision(event: LoopEvent): event is ToolCall | ToolResult {
  if (event.type === 'tool_call') return true;
  return event.type === 'tool_result' && event.outcome === 'vetoed' && event.verdict !== null;
}

function deedOf(event: ToolCall | ToolResult, due: Deed): Deed {
  if (event.type === 'tool_result') return due === 'abort' ? 'abort' : 'block';
  if (event.despite !== null) return due === 'abort' ? 'abort' : 'block';
  return event.delivered.length > 0 ? 'warn' : 'allow';
}
