import { describe, expect, it } from 'vitest';
import { collect, everything, numbered, record, textOf, topicSpec } from '../contract/driver.ts';
import { gate, recordingMember } from '../contract/member.ts';
import type { Log } from '../log.ts';
import { createMemoryLog, type MemoryBroker, type MemoryLogOptions } from './broker.ts';
import { seededScheduler } from './scheduler.ts';
import { testClock } from './test-clock.ts';

const events = topicSpec({ name: 'events', partitions: 2 });
const at = { topic: 'events', group: 'detectors', batchSize: 10 };

const clock = testClock(1_800_000_000_000);

function broker(options: Partial<MemoryLogOptions> = {}): MemoryBroker {
  return createMemoryLog({ clock, topics: [events], ...options });
}

/** Lets everything that can happen happen. */
async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const texts = async (log: Log): Promise<readonly string[]> => (await everything(log, 'events')).map(textOf);

describe('the clock of a memory log', () => {
  it('stands still until it is moved, and no partition’s time goes back with it', async () => {
    const moving = testClock(5000);
    const writer = broker({ clock: moving }).connect('a').writer();
    const times: (number | undefined)[] = [];
    for (const step of [0, 70, -50]) {
      moving.advance(step);
      const [first, other] = await writer.append([
        record('events', 'a'),
        record('events', 'b', { partition: 1 }),
      ]);
      times.push(first?.timestamp, other?.timestamp);
    }
    expect(times).toEqual([5000, 5000, 5070, 5070, 5070, 5070]);
  });
});

describe('faults of a memory log', () => {
  it.each([
    ['before', []],
    ['midway', ['0', '1']],
    ['after', ['0', '1', '2', '3']],
  ] as const)('fail an append %s it happened', async (fail, landed) => {
    const faulty = broker({
      faults: ({ kind, process }) => (kind === 'append' && process === 'a' ? { fail } : undefined),
    });
    const append = faulty.connect('a').writer().append(numbered('events', 4));
    await expect(append).rejects.toMatchObject({ code: 'unavailable' });
    expect(await texts(faulty.connect('b'))).toEqual(landed);
  });

  it('hold an acknowledgement back while the record stands already', async () => {
    const until = gate();
    const slow = broker({ faults: ({ kind }) => (kind === 'append' ? { until: until.opened } : undefined) });
    let acknowledged = false;
    const appending = slow
      .connect('a')
      .writer()
      .append([record('events', 'a')])
      .then(() => {
        acknowledged = true;
      });
    await turns();
    expect([acknowledged, await texts(slow.connect('b'))]).toEqual([false, ['a']]);
    until.open();
    await appending;
  });
});

describe('a crashed process', () => {
  it('hears nothing more and does nothing more, while others take over', async () => {
    const shared = broker();
    const [dying, living] = [shared.connect('dying'), shared.connect('living')];
    const dead = recordingMember();
    const heir = recordingMember();
    await dying.join(at, dead.handlers);
    await turns();
    const writer = dying.writer();
    let settled = false;
    shared.crash('dying');
    const settle = (): void => {
      settled = true;
    };
    void writer.append([record('events', 'ghost')]).then(settle, settle);
    await living.join(at, heir.handlers);
    await living.writer().append([record('events', 'a')]);
    await turns();
    expect(settled).toBe(false);
    expect(heir.owned()).toEqual([0, 1]);
    expect(heir.heard).toEqual(['0:a']);
    expect([dead.heard, dead.lost]).toEqual([[], []]);
    expect(await texts(living)).toEqual(['a']);
  });

  it('may have sent what it never heard the answer of', async () => {
    const shared = broker();
    const dying = shared.connect('dying');
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    void dying
      .writer()
      .append([record('events', 'sent')])
      .then(settle, settle);
    shared.crash('dying');
    await turns();
    expect(await texts(shared.connect('again'))).toEqual(['sent']);
    expect(settled).toBe(false);
  });
});

describe('a zombie', () => {
  it('goes on, appends, and learns from its commit; healed, it is a member again', async () => {
    const shared = broker();
    const [away, other] = [shared.connect('away'), shared.connect('other')];
    const zombie = recordingMember();
    const owner = recordingMember();
    const group = await away.join(at, zombie.handlers);
    await turns();
    shared.expel('away');
    await other.join(at, owner.handlers);
    await away.writer().append([record('events', 'still here')]);
    await turns();
    expect([zombie.owned(), owner.owned()]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect([zombie.heard, owner.heard]).toEqual([['0:still here'], ['0:still here']]);
    const late = group.commit('events', 0, { offset: 1, metadata: '' });
    await expect(late).rejects.toMatchObject({ code: 'fenced' });
    await turns();
    expect(zombie.lost.slice(0, 2)).toEqual([0, 1]);
    expect([...zombie.owned(), ...owner.owned()].sort()).toEqual([0, 1]);
    expect(zombie.owned()).toHaveLength(1);
  });

  it('ends what it has in flight before a partition that came back is assigned', async () => {
    const shared = broker();
    const finish = gate();
    const zombie = recordingMember({ batch: () => finish.opened });
    const log = shared.connect('away');
    await log.join(at, zombie.handlers);
    await log.writer().append([record('events', 'slow')]);
    await turns();
    shared.expel('away');
    shared.heal('away');
    await turns();
    const assignedOf = (): readonly number[] => zombie.assigned.map(({ partition }) => partition).sort();
    expect([zombie.lost.length, zombie.heard, assignedOf()]).toEqual([2, ['0:slow'], [0, 1, 1]]);
    finish.open();
    await turns();
    expect([zombie.heard, assignedOf()]).toEqual([
      ['0:slow', '0:slow'],
      [0, 0, 1, 1],
    ]);
  });

  it('hears of it when it is healed', async () => {
    const shared = broker();
    const zombie = recordingMember();
    await shared.connect('away').join(at, zombie.handlers);
    await turns();
    shared.expel('away');
    await turns();
    expect(zombie.lost).toEqual([]);
    shared.heal('away');
    await turns();
    expect(zombie.lost).toEqual([0, 1]);
    expect(zombie.owned()).toEqual([0, 1]);
  });
});

it('a rebalance on demand takes every partition back and deals them out again', async () => {
  const shared = broker();
  const members = [recordingMember(), recordingMember()];
  for (const [index, { handlers }] of members.entries()) await shared.connect(`${index}`).join(at, handlers);
  await turns();
  const before = members.map((member) => member.owned());
  shared.rebalance('detectors', 'events');
  await turns();
  const after = members.map((member) => member.owned());
  expect(after.flat().sort()).toEqual([0, 1]);
  expect(after).not.toEqual(before);
});

it('retention and compaction leave gaps that readers pass over', async () => {
  const shared = broker({ topics: [topicSpec({ name: 'events', cleanup: 'compact' })] });
  const log = shared.connect('a');
  await log.writer().append(['x', 'y', 'x', 'z', 'y'].map((key) => record('events', key, { key })));
  shared.compact('events');
  expect((await everything(log, 'events')).map(({ offset }) => offset)).toEqual([2, 3, 4]);
  shared.trim('events', 0, 4);
  expect(await log.reader.ranges('events')).toEqual([{ partition: 0, start: 4, end: 5 }]);
  const fromBefore = log.reader.read({ topic: 'events', partition: 0, from: { offset: 0 }, until: 'end' });
  expect((await collect(fromBefore)).map(textOf)).toEqual(['y']);
});

describe('a seeded scheduler', () => {
  /** What two processes and a crash make of a seed: who heard and acknowledged what, in order. */
  async function story(seed: number): Promise<readonly string[]> {
    const scheduler = seededScheduler(seed);
    const shared = broker({ schedule: scheduler.schedule });
    const told: string[] = [];
    for (const name of ['a', 'b']) {
      const log = shared.connect(name);
      const writer = log.writer();
      void log.join(
        at,
        recordingMember({
          batch: async ({ partition, records }) => {
            told.push(`${name} hears ${partition}:${records.map(textOf).join()}`);
          },
        }).handlers,
      );
      for (const text of ['1', '2', '3']) {
        const partition = Number(text) % 2;
        void writer
          .append([record('events', name + text, { partition })])
          .then(() => told.push(`${name} wrote ${text}`));
      }
    }
    await scheduler.run(() => told.length > 4);
    shared.crash('a');
    await scheduler.run();
    const stands = [0, 1].map((partition) => shared.records('events', partition).map(textOf).join());
    return [...told, ...stands];
  }

  it('repeats a run from its seed, and tells another from another seed', async () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const first = await Promise.all(seeds.map(story));
    const again = await Promise.all(seeds.map(story));
    expect(again).toEqual(first);
    expect(new Set(first.map((lines) => lines.join('\n'))).size).toBeGreaterThan(4);
  });

  it('keeps a writer’s order per partition, whatever it does to the answers', async () => {
    for (let seed = 0; seed < 30; seed += 1) {
      const stands = (await story(seed)).at(-1)?.split(',') ?? [];
      for (const name of ['a', 'b']) {
        const own = stands.filter((text) => text.startsWith(name));
        expect(own).toEqual([`${name}1`, `${name}3`].slice(0, own.length));
      }
    }
  });
});
