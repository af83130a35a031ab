import { partitionOf } from '@loopwarden/stream';
import type { MemoryBroker } from '@loopwarden/stream/memory';
import { codec, TOPICS } from '../station.ts';
import { POLICIES } from './calls.ts';
import { act } from './deeds.ts';
import { applyPolicy, openFleet } from './fleet.ts';
import type { Pages } from './ledger.ts';
import { start } from './trouble.ts';
import { openWorld } from './world.ts';

/** Events of one partition as a living fleet wrote them, with what a plain fold makes of them. */
export interface Recorded {
  readonly pages: Pages;
  readonly ledger: ReturnType<typeof openWorld>['ledger'];
}

/** Lets a fleet and a detector live in a world where nothing goes wrong, until there are so many events. */
export async function record(seed: number, events: number): Promise<Recorded> {
  const world = openWorld(seed, null);
  if (world.partitions !== 1 || world.mode === 'bounded') return record(seed + 1, events);
  world.calm = true;
  const fleet = openFleet(world);
  applyPolicy(fleet, POLICIES[0] ?? '{}');
  for (const write of fleet.applying.splice(0)) write();
  start(world, {});
  const [pages] = world.ledger.pages;
  if (pages === undefined) throw new Error('A world has a partition.');
  while (pages.events.length < events) {
    act(fleet);
    for (let left = 12; left > 0; left -= 1) await world.step();
  }
  return { pages, ledger: world.ledger };
}

/** The same without the policies that change in mid-run, which each partition hears at another place. */
export function underOnePolicy({ pages, ledger }: Recorded): Recorded {
  const events = pages.events.filter(
    ({ key, offset }) => offset === 0 || Buffer.from(key ?? []).toString() !== '*',
  );
  const own = { ...pages, events: events.map((record, offset) => ({ ...record, offset })) };
  return { pages: own, ledger: { ...ledger, pages: [own] } };
}

/** Writes the events to a log with any number of partitions, at their own times. */
export function replayTo(broker: MemoryBroker, { pages }: Recorded, partitions: number): void {
  for (const { key, value, headers, timestamp } of pages.events) {
    const event = codec.decodeEvent(value ?? new Uint8Array());
    const everywhere = event.ok && event.value.type === 'policy';
    const home = partitionOf(event.ok ? event.value.runId : 'r0', partitions);
    for (let partition = 0; partition < partitions; partition += 1) {
      if (!everywhere && partition !== home) continue;
      const record = { topic: TOPICS.events, partition, key, value, headers, timestamp };
      broker.partition(TOPICS.events, partition).append(record, { now: timestamp, timestamps: 'create' });
    }
  }
}
