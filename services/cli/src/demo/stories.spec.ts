import {
  type Action,
  compilePolicy,
  DEFAULT_POLICY,
  type Decision,
  type RunEvent,
  readPublicEvent,
} from '@loopwarden/detection';
import { describe, expect, it } from 'vitest';
import { Chain } from '../conformance/chain.ts';
import { hashWith } from '../operator/release-event.ts';
import { WATCHING } from '../policy/policy-file.ts';
import { endedWell } from './demo-text.ts';
import { type Ending, type PlayedRun, playStory } from './play-story.ts';
import { STORIES } from './stories.ts';
import { isLoop, type Story } from './story.ts';

/** A run on the chain without a transport: what is published is heard at once. */
function chainRun(): PlayedRun {
  const chain = new Chain(compilePolicy(WATCHING));
  const defaults = { source: 'demo', gatewayId: 'demo', observedAt: 0 };
  let sequence = 0;
  const take = (fields: object): Decision | null => {
    sequence += 1;
    const context = {
      hash: hashWith(null),
      profiles: DEFAULT_POLICY.profiles,
      keyId: null,
      defaults: { ...defaults, sequence },
    };
    const read = readPublicEvent({ runId: 'run', ...fields }, context);
    if (!read.ok) throw new Error(read.detail);
    return chain.take(read.event as RunEvent, sequence).decision;
  };
  return {
    beforeCall: async ({ tool, args }) =>
      take({ type: 'tool_call', tool, args }) ?? { action: 'allow', verdict: null, shadow: null },
    afterCall: ({ tool, args, result, error }) =>
      void take({ type: 'tool_result', tool, args, ...(error === undefined ? { result } : { error }) }),
    compacted: () => void take({ type: 'compaction' }),
    end: (status) => void take({ type: 'run_end', status }),
  };
}

const play = (story: Story): Promise<Ending> => playStory(story, chainRun(), () => Promise.resolve());

describe('a story of the demo', () => {
  it.each<[string, string, Action, number]>([
    ['repeat', 'generic_repeat', 'block', 20],
    ['poll', 'known_poll_no_progress', 'block', 20],
    ['ping-pong', 'ping_pong', 'block', 19],
    ['missing tool', 'unknown_tool_repeat', 'block', 10],
    ['compaction', 'compaction_loop_persisted', 'abort', 8],
  ])('of a %s loop is ended by %s', async (kind, detector, action, calls) => {
    const story = STORIES.find((candidate) => candidate.kind === kind) as Story;
    const ending = await play(story);
    expect(ending.by).toMatchObject({ detector, action });
    expect(ending.calls).toBe(calls);
    expect(ending.spared).toBeGreaterThan(50);
  });

  it.each(STORIES.filter((story) => !isLoop(story)).map((story) => [story.run, story] as const))(
    '%s is never refused anything',
    async (_run, story) => {
      const ending = await play(story);
      expect(ending).toMatchObject({ end: 'completed', refused: 0, spared: 0 });
      expect(ending.warnings).toBe(story.kind === 'heeds' ? 1 : 0);
    },
  );
});

describe('the demo ends well', () => {
  it('when every loop was stopped and nobody else', async () => {
    const endings = await Promise.all(STORIES.map(play));
    expect(endedWell(endings)).toBe(true);
    const [loop] = endings.filter(({ story }) => isLoop(story));
    const [honest] = endings.filter(({ story }) => !isLoop(story));
    expect(endedWell([{ ...(loop as Ending), end: 'completed' }])).toBe(false);
    expect(endedWell([{ ...(honest as Ending), refused: 1 }])).toBe(false);
  });
});
