import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Coordinator, type Member } from './coordinator.ts';

interface Holder extends Member {
  /** Epoch by partition. */
  readonly held: Map<number, number>;
}

/** A member that gives back at once what it is asked for. */
function holder(): Holder {
  const held = new Map<number, number>();
  return {
    held,
    give: (partition, epoch) => {
      held.set(partition, epoch);
    },
    take: async (partition) => {
      held.delete(partition);
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const committed = { offset: 1, metadata: '' };

describe('a coordinator', () => {
  it('deals every partition to one member, as evenly as can be, whoever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.record({ joins: fc.boolean(), which: fc.nat(5), waits: fc.boolean() }), {
          maxLength: 12,
        }),
        async (partitions, steps) => {
          const coordinator = new Coordinator(partitions);
          const members: Holder[] = [];
          for (const { joins, which, waits } of steps) {
            const leaving = members[which];
            if (joins) {
              members.push(holder());
              coordinator.join(members.at(-1) ?? holder());
            } else if (leaving !== undefined) {
              members.splice(which, 1);
              coordinator.remove(leaving);
            }
            if (waits) await settled();
          }
          await settled();
          const held = members.map((member) => [...member.held.keys()]);
          const all = Array.from({ length: members.length === 0 ? 0 : partitions }, (_, at) => at);
          expect(held.flat().sort((one, other) => one - other)).toEqual(all);
          const sizes = held.map(({ length }) => length);
          expect(Math.max(0, ...sizes) - Math.min(partitions, ...sizes)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('moves no more than it must when a member joins', async () => {
    const coordinator = new Coordinator(6);
    const [one, other, late] = [holder(), holder(), holder()];
    coordinator.join(one);
    coordinator.join(other);
    await settled();
    const before = [...one.held.keys(), ...other.held.keys()];
    coordinator.join(late);
    await settled();
    expect(late.held.size).toBe(2);
    const kept = [...one.held.keys(), ...other.held.keys()];
    expect(before).toEqual(expect.arrayContaining(kept));
    expect(kept).toHaveLength(4);
  });

  it('waits for the owner to be through with a partition', async () => {
    const coordinator = new Coordinator(1);
    let through: () => void = () => undefined;
    const slow: Member = {
      give: () => undefined,
      take: () =>
        new Promise((resolve) => {
          through = resolve;
        }),
    };
    const next = holder();
    coordinator.join(slow);
    coordinator.join(next);
    coordinator.rebalance();
    await settled();
    expect(next.held.size).toBe(0);
    through();
    await settled();
    expect(next.held.size).toBe(1);
  });

  it('takes a commit of the owner, and none of an earlier life of the same owner', async () => {
    const coordinator = new Coordinator(1);
    const only = holder();
    coordinator.join(only);
    const early = only.held.get(0) ?? 0;
    coordinator.commit(only, 0, { epoch: early, committed });
    coordinator.remove(only);
    coordinator.join(only);
    const late = (): void => coordinator.commit(only, 0, { epoch: early, committed });
    expect(late).toThrow(expect.objectContaining({ code: 'fenced' }));
    coordinator.commit(only, 0, { epoch: only.held.get(0) ?? 0, committed: { offset: 2, metadata: '' } });
    expect(coordinator.committed.get(0)?.offset).toBe(2);
  });
});
