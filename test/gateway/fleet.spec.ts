import { decide, describeCall, hear, openStandings, SHIPPED_PROFILES } from '@loopwarden/detection';
import type { Gateway, GatewayOptions } from '@loopwarden/gateway';
import { type Operation, type SeededScheduler, seededScheduler } from '@loopwarden/stream/memory';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SMALL } from '../given.ts';
import { answersWithoutLag, type Script, type Step, sha256, WAYS } from './fleet.ts';
import { CONTROL } from './judging.ts';
import { type Connected, Rig } from './rig.ts';

const STEPS = 12;
const LONG = 1_000_000_000;

const scriptOf = fc.record({
  way: fc.constantFrom(...Object.keys(WAYS)),
  moves: fc.boolean(),
});
const fleetOf = fc.record({
  seed: fc.integer(),
  partitions: fc.integer({ min: 1, max: 3 }),
  runs: fc.array(scriptOf, { minLength: 1, maxLength: 6 }),
  flaky: fc.boolean(),
});

type GivenFleet = typeof fleetOf extends fc.Arbitrary<infer F> ? F : never;

interface Member {
  readonly script: Script;
  readonly moves: boolean;
  readonly answers: string[];
}

/** A fleet in a random order of everything: what is sent, heard and judged, by the seed. */
class Fleet {
  readonly rig: Rig;
  readonly members: readonly Member[];
  readonly gateways: Connected[] = [];
  readonly #scheduler: SeededScheduler;
  #flaky: boolean;

  constructor({ seed, partitions, runs, flaky }: GivenFleet) {
    this.#scheduler = seededScheduler(seed);
    this.#flaky = flaky;
    const { schedule } = this.#scheduler;
    this.rig = new Rig({ partitions, schedule, faults: (operation) => this.#fault(operation) });
    this.members = runs.map(({ way, moves }, index) => {
      const step = WAYS[way] as (index: number) => Script['steps'][number];
      const steps = Array.from({ length: STEPS }, (_, at) => step(at));
      return { script: { runId: `run-${index}-${way}`, steps }, moves, answers: [] };
    });
  }

  async connect(options: Partial<GatewayOptions>): Promise<void> {
    for (const gatewayId of ['gw-a', 'gw-b']) {
      this.gateways.push(await this.drive(this.rig.connect({ ...options, gatewayId })));
    }
  }

  async play(): Promise<void> {
    await this.drive(Promise.all(this.members.map((member) => this.#live(member))));
    this.#flaky = false;
    await this.quiet();
  }

  /** Moves the world, in any order, until a promise settles. */
  async drive<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const watched = promise.finally(() => {
      settled = true;
    });
    watched.catch(() => {});
    while (!settled) await this.#move();
    return watched;
  }

  /** Moves the world until nothing happens any more. */
  async quiet(): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      await this.#scheduler.run();
      this.rig.clock.advance(50);
      this.rig.judging.catchUp();
    }
    await this.#scheduler.run();
  }

  async #move(): Promise<void> {
    const dice = this.#scheduler.random();
    if (dice < 0.05) this.rig.clock.advance(50);
    else if (dice < 0.15) {
      const { partitions } = this.rig;
      this.rig.judging.judge(Math.floor(this.#scheduler.random() * partitions), 1 + Math.floor(dice * 40));
    } else await this.#scheduler.step();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #live({ script, moves, answers }: Member): Promise<void> {
    let gateway = this.#gateway(0);
    let run = gateway.run({ runId: script.runId });
    for (const [index, { tool, args, result }] of script.steps.entries()) {
      if (moves && index % 4 === 3) {
        await run.written();
        gateway = this.#other(gateway);
        run = gateway.run({ runId: script.runId });
      }
      const callId = `c${index}`;
      const { action } = await run.beforeCall({ callId, tool, args });
      answers.push(action);
      if (action === 'allow' || action === 'warn') run.afterCall({ callId, tool, args, result });
    }
  }

  #other(than: Gateway): Gateway {
    return this.gateways.map(({ gateway }) => gateway).find((gateway) => gateway !== than) ?? than;
  }

  #gateway(index: number): Gateway {
    const connected = this.gateways[index];
    if (connected === undefined) throw new Error('connect first');
    return connected.gateway;
  }

  #fault({ kind }: Operation): { fail: 'before' | 'midway' | 'after' } | undefined {
    if (!this.#flaky || kind !== 'append' || this.#scheduler.random() > 0.15) return undefined;
    const how = (['before', 'midway', 'after'] as const)[Math.floor(this.#scheduler.random() * 3)];
    return how && { fail: how };
  }
}

it('strict gateways answer as if nothing took time: looping runs are stopped at exactly that call, honest ones never', async () => {
  await fc.assert(
    fc.asyncProperty(fleetOf, async (given) => {
      const fleet = new Fleet(given);
      await fleet.connect({ strict: { deadlineMs: LONG, onDeadline: 'open' }, onStale: 'closed' });
      await fleet.play();
      for (const { script, answers } of fleet.members) {
        expect([script.runId, answers]).toEqual([script.runId, answersWithoutLag(script, SMALL)]);
      }
    }),
    { numRuns: 25 },
  );
});

it('plain gateways touch no honest run, block no call before the policy says so, and know in the end all that stands', async () => {
  await fc.assert(
    fc.asyncProperty(fleetOf, async (given) => {
      const fleet = new Fleet(given);
      await fleet.connect({ onStale: 'closed' });
      await fleet.play();
      for (const { script, answers } of fleet.members) {
        if (script.runId.endsWith('honest')) expect(answers).toEqual(answers.map(() => 'allow'));
        const unlagged = answersWithoutLag(script, SMALL);
        const first = unlagged.indexOf('block');
        expect(answers.slice(0, first < 0 ? STEPS : first)).not.toContain('block');
        const { tool, args } = script.steps.at(-1) ?? { tool: '', args: {} };
        for (const { gateway } of fleet.gateways) {
          const run = gateway.run({ runId: script.runId });
          await run.beforeCall({ tool: 'look' });
          await fleet.quiet();
          const standing = standingFor(fleet.rig, { runId: script.runId, tool, args });
          const { action } = await run.beforeCall({ tool, args });
          if (standing === 'block') expect(action).toBe('block');
          else expect(action).not.toBe('block');
        }
      }
    }),
    { numRuns: 25 },
  );
});

it('every event that was written is in the log once it can be, in order, and nothing is missing', async () => {
  await fc.assert(
    fc.asyncProperty(fleetOf, async (given) => {
      const fleet = new Fleet({ ...given, flaky: true });
      await fleet.connect({});
      await fleet.play();
      const highest = new Map<string, number>();
      for (let partition = 0; partition < fleet.rig.partitions; partition += 1) {
        for (const { runId, source, sequence } of fleet.rig.judging.events(partition)) {
          const last = highest.get(`${runId} ${source}`) ?? 0;
          expect(sequence).toBeLessThanOrEqual(last + 1);
          highest.set(`${runId} ${source}`, Math.max(last, sequence));
        }
      }
      for (const { gateway } of fleet.gateways) expect(gateway.stats().held.records).toBe(0);
    }),
    { numRuns: 25 },
  );
});

/** What all of `control` says of a call, to one that forgets nothing. */
function standingFor(rig: Rig, { runId, tool, args }: Omit<Step, 'result'> & { runId: string }): string {
  const standings = openStandings();
  for (let partition = 0; partition < rig.partitions; partition += 1) {
    for (const { value } of rig.broker.records(CONTROL, partition)) {
      const decoded = rig.codec.decodeControl(value ?? new Uint8Array());
      if (!decoded.ok || decoded.value.type !== 'verdict') continue;
      hear(standings, decoded.value.verdict, { partition, lineage: 0 });
    }
  }
  return decide(standings, { runId, ...describeCall({ tool, args }, SHIPPED_PROFILES, sha256) }).action;
}
