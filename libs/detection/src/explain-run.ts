import type { Digest } from './event.ts';
import type { Partition } from './partition.ts';
import { argsOf, isPoll, outcomeOf, placesOf, toolOf, type Window } from './records.ts';
import type { Slot } from './run.ts';

/** One record of a run's window. */
export interface ExplainedRecord {
  readonly tool: string;
  readonly args: Digest;
  /** Null once the outcome is known: nothing asks for it any more. */
  readonly callId: string | null;
  readonly poll: boolean;
  /** Kind and digest in one; null: pending. */
  readonly outcome: string | null;
}

/** The state of one run at a moment, for people: a copy that does not change with the run. */
export interface ExplainedRun {
  readonly epoch: number;
  readonly agentId: string | null;
  /** Oldest first. */
  readonly window: readonly ExplainedRecord[];
  /** Warnings that are remembered, each with the level handed out (0: none). */
  readonly levels: readonly { readonly warning: number; readonly level: number }[];
  /** Outcomes that the post-compaction guard still watches; 0: not armed. */
  readonly guarded: number;
  /** What stands, oldest verdict first. */
  readonly standing: readonly Pick<Slot, 'sequence' | 'action' | 'match' | 'detector' | 'count' | 'shadow'>[];
}

/** What is known of a run; null: nothing, or no longer. */
export function explainRun({ runs }: Partition, runId: string): ExplainedRun | null {
  const run = runs.get(runId);
  if (run === undefined) return null;
  const { epoch, agentId, extras } = run;
  return {
    epoch,
    agentId,
    window: placesOf(run).map((place) => explainRecord(run, place)),
    levels: [...(extras?.warned.values() ?? [])].map(({ warning, level }) => ({ warning, level })),
    guarded: extras?.guard.remaining ?? 0,
    standing: [...(extras?.slots.values() ?? [])]
      .map(({ sequence, action, match, detector, count, shadow }) => {
        return { sequence, action, match, detector, count, shadow };
      })
      .sort((a, b) => a.sequence - b.sequence),
  };
}

function explainRecord(window: Window, place: number): ExplainedRecord {
  return {
    tool: toolOf(window, place),
    args: argsOf(window, place),
    callId: callIdOf(window, place),
    poll: isPoll(window, place),
    outcome: outcomeOf(window, place),
  };
}

function callIdOf({ tags }: Window, place: number): string | null {
  for (let tag = tags; tag !== null; tag = tag.older) if (tag.place === place && tag.pending) return tag.text;
  return null;
}
