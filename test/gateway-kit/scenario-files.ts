import { readdirSync, readFileSync } from 'node:fs';
import type { Scenario, Step } from './scenario.ts';

const DIR = new URL('scenarios/', import.meta.url);
const SUFFIX = '.jsonl';

/** Where a scenario lies. */
export function fileOf(name: string): URL {
  return new URL(`${name}${SUFFIX}`, DIR);
}

/** What it is in the first line, then a line a step. */
export function textOf({ steps, ...head }: Scenario): string {
  return [head, ...steps].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Every recorded scenario. */
export function readScenarios(): readonly Scenario[] {
  const files = readdirSync(DIR).filter((file) => file.endsWith(SUFFIX));
  return files.sort().map((file) => {
    const [head = '', ...steps] = readFileSync(new URL(file, DIR), 'utf8').trimEnd().split('\n');
    return {
      ...(JSON.parse(head) as Omit<Scenario, 'steps'>),
      steps: steps.map((line) => JSON.parse(line) as Step),
    };
  });
}
