import { isDeepStrictEqual } from 'node:util';
import { createEmbeddedCodec } from '@loopwarden/wire';
import type { Adapter, Expected, Happening, Reaction, Scenario, Step } from './scenario.ts';
import { writtenEvent } from './written-event.ts';

/** Plays a scenario to a gateway and says, in sentences, where it does not do what it must; none: it does. */
export async function play(scenario: Scenario, adapter: Adapter): Promise<readonly string[]> {
  const faults: string[] = [];
  try {
    await adapter.start(scenario);
    let answers: Reaction['answers'] = {};
    for (const [index, step] of scenario.steps.entries()) {
      const { expect, ...happening } = step;
      const reaction = await adapter.happen(happening as Happening);
      const place = `${scenario.name}, step ${index + 1} (${titleOf(step)})`;
      faults.push(...differences(expect, { before: answers, reaction }).map((what) => `${place}: ${what}`));
      answers = reaction.answers;
    }
  } finally {
    await adapter.stop();
  }
  return faults;
}

/** What a reaction is, in the form in which it is expected. */
export function observed({ before, reaction }: Observation): Expected {
  const codec = createEmbeddedCodec();
  const changed = Object.entries(reaction.answers).filter(([callId, answer]) => before[callId] !== answer);
  const writes = reaction.events.map((value) => writtenEvent(codec, Buffer.from(value, 'base64')));
  return {
    ...(changed.length === 0 ? {} : { answers: Object.fromEntries(changed) }),
    ...(writes.length === 0 ? {} : { writes }),
    ...(reaction.aborted ? { aborted: true } : {}),
  };
}

interface Observation {
  readonly before: Reaction['answers'];
  readonly reaction: Reaction;
}

function differences(expected: Expected, observation: Observation): string[] {
  const seen = observed(observation);
  return (['answers', 'writes', 'aborted'] as const).flatMap((part) =>
    isDeepStrictEqual(seen[part], expected[part])
      ? []
      : [`${part} must be ${text(expected[part])}, are ${text(seen[part])}`],
  );
}

const text = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

function titleOf(step: Step): string {
  return 'callId' in step ? `${step.do} ${step.callId}` : step.do;
}
