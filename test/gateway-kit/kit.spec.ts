import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { play } from './play.ts';
import type { Adapter, Happening, Reaction, Scenario } from './scenario.ts';
import { fileOf, readScenarios, textOf } from './scenario-files.ts';
import { SdkAdapter } from './sdk-adapter.ts';
import { recordAll } from './stories.ts';

const scenarios = readScenarios();

it.each(scenarios.map((scenario) => [scenario.name, scenario.promise, scenario] as const))(
  '%s: %s',
  async (...row) => {
    expect(await play(row[2], new SdkAdapter())).toEqual([]);
  },
);

it('holds what detection says today, and every story', async () => {
  const recorded = await recordAll();
  expect(recorded.map(({ name }) => name).sort()).toEqual(scenarios.map(({ name }) => name).sort());
  for (const scenario of recorded) expect(textOf(scenario)).toBe(readFileSync(fileOf(scenario.name), 'utf8'));
});

/** A gateway that does one thing wrong. */
class Faulty implements Adapter {
  readonly #sdk = new SdkAdapter();
  readonly #happens: (happening: Happening) => Happening;
  readonly #tells: (reaction: Reaction) => Reaction;

  constructor({
    happens = (happening) => happening,
    tells = (reaction) => reaction,
  }: {
    happens?: (happening: Happening) => Happening;
    tells?: (reaction: Reaction) => Reaction;
  }) {
    this.#happens = happens;
    this.#tells = tells;
  }

  start = (scenario: Pick<Scenario, 'gateway' | 'now' | 'policies'>): Promise<Reaction> =>
    this.#sdk.start(scenario);
  happen = async (happening: Happening): Promise<Reaction> =>
    this.#tells(await this.#sdk.happen(this.#happens(happening)));
  stop = (): Promise<void> => this.#sdk.stop();
}

const deaf = (happening: Happening): Happening =>
  happening.do === 'hear' ? { do: 'hear', records: [] } : happening;
const unversed = (happening: Happening): Happening =>
  happening.do === 'hear'
    ? {
        do: 'hear',
        records: happening.records.map((record) => ({ ...record, headers: { 'lw-lineage': '0' } })),
      }
    : happening;
const mute = (reaction: Reaction): Reaction => ({ ...reaction, events: [] });

it.each([
  ['that hears nothing', { happens: deaf }, 'block-until-released'],
  ['that hears nothing', { happens: deaf }, 'warn-once'],
  ['that hears nothing', { happens: deaf }, 'strict-marks'],
  ['that knows no lineages', { happens: unversed }, 'new-lineage'],
  ['that tells nothing', { tells: mute }, 'joins-late'],
])('finds out a gateway %s', async (_, fault, name) => {
  const scenario = scenarios.find((candidate) => candidate.name === name) as Scenario;
  expect(await play(scenario, new Faulty(fault))).not.toEqual([]);
});
