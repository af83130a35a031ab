import { HEARING } from './hearing.ts';
import { OBEYING } from './obeying.ts';
import type { Scenario } from './scenario.ts';
import { WAITING } from './waiting.ts';

const STORIES = [...OBEYING, ...HEARING, ...WAITING];

/** Plays every story and records it. */
export async function recordAll(): Promise<readonly Scenario[]> {
  const scenarios: Scenario[] = [];
  for (const [name, promise, tell] of STORIES) {
    try {
      scenarios.push(await (await tell()).finish(name, promise));
    } catch (error) {
      throw new Error(`The story ${name} does not come out as told.`, { cause: error });
    }
  }
  return scenarios;
}
