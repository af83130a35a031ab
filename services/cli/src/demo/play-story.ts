import type { Verdict } from '@loopwarden/detection';
import type { Answer, CallMade, CallToMake, Run } from '@loopwarden/gateway';
import type { Story, Turn } from './story.ts';

/** What a story needs of a run of the gateway SDK. */
export interface PlayedRun extends Pick<Run, 'compacted' | 'end'> {
  beforeCall(call: CallToMake): Promise<{
    readonly action: Answer['action'];
    readonly verdict?: Verdict | null;
  }>;
  afterCall(call: CallMade): void;
}

/** How a run of the demo went. */
export interface Ending {
  readonly story: Story;
  readonly end: 'completed' | 'stopped' | 'aborted';
  /** Calls that ran. */
  readonly calls: number;
  readonly warnings: number;
  readonly refused: number;
  /** What stopped it; null: nothing did. */
  readonly by: Verdict | null;
  /** Calls that it would have gone on to make. */
  readonly spared: number;
}

/** A model that is refused so often gives up. */
const PATIENCE = 3;

/** Plays one story through its gateway. `think` is the time that a model takes before each turn. */
export async function playStory(story: Story, run: PlayedRun, think: () => Promise<void>): Promise<Ending> {
  const told = { warnings: 0 };
  const count = { calls: 0, refused: 0 };
  let index = 0;
  const ending = (end: Ending['end'], by: Verdict | null): Ending => {
    const spared = end === 'completed' ? 0 : callsFrom(story, index, told);
    return { story, end, ...count, ...told, by, spared };
  };
  for (let turn = story.turn(0, told); turn !== null; turn = story.turn(index, told)) {
    await think();
    if (turn.kind === 'compaction') {
      run.compacted();
      index += 1;
      continue;
    }
    const { action, verdict = null } = await run.beforeCall(turn);
    if (action === 'warn') told.warnings += 1;
    if (action === 'block' || action === 'abort') {
      count.refused += 1;
      if (action === 'block' && count.refused < PATIENCE) continue;
      run.end(action === 'abort' ? 'aborted' : 'failed');
      return ending(action === 'abort' ? 'aborted' : 'stopped', verdict);
    }
    run.afterCall(turn);
    count.calls += 1;
    index += 1;
  }
  run.end('completed');
  return ending('completed', null);
}

/** How many calls the story still holds. */
function callsFrom(story: Story, first: number, told: { warnings: number }): number {
  let calls = 0;
  for (let index = first; ; index += 1) {
    const turn: Turn | null = story.turn(index, told);
    if (turn === null) return calls;
    if (turn.kind === 'call') calls += 1;
  }
}
