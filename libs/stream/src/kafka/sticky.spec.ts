import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignSticky, decodeClaim, encodeClaim, shareOut } from './sticky.ts';

const counts = fc.integer({ min: 0, max: 60 });
const claimLists = fc
  .uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 9 })
  .chain((members) =>
    fc.tuple(
      ...members.map((member) =>
        fc.record({
          member: fc.constant(member),
          owned: fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 30 }),
          generation: fc.integer({ min: -1, max: 5 }),
        }),
      ),
    ),
  );

describe('sticky assignment', () => {
  it('gives every partition to exactly one member, as evenly as can be', () => {
    fc.assert(
      fc.property(claimLists, counts, (claims, count) => {
        const shares = [...assignSticky(claims, count).values()];
        const given = shares.flat().sort((a, b) => a - b);
        expect(given).toEqual(Array.from({ length: count }, (_, partition) => partition));
        expect(shares).toHaveLength(claims.length);
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('does not depend on the order in which the members are listed', () => {
    fc.assert(
      fc.property(claimLists, counts, (claims, count) => {
        const one = assignSticky(claims, count);
        const other = assignSticky([...claims].reverse(), count);
        for (const [member, partitions] of one) expect(other.get(member)).toEqual(partitions);
      }),
    );
  });

  it('moves nothing while the members stay', () => {
    fc.assert(
      fc.property(claimLists, counts, (claims, count) => {
        const before = assignSticky(claims, count);
        const again = [...before].map(([member, owned]) => ({ member, owned, generation: 9 }));
        expect(new Map(assignSticky(again, count))).toEqual(new Map(before));
      }),
    );
  });

  it('takes from each member only what is above its share when another one joins', () => {
    fc.assert(
      fc.property(claimLists, counts, (claims, count) => {
        const before = assignSticky(claims, count);
        const owners = [...before].map(([member, owned]) => ({ member, owned, generation: 9 }));
        const after = assignSticky([...owners, { member: '', owned: [], generation: -1 }], count);
        const kept = owners.flatMap(({ member, owned }) =>
          owned.filter((partition) => after.get(member)?.includes(partition)),
        );
        expect(count - kept.length).toBe(after.get('')?.length);
      }),
    );
  });

  it('believes the newer of two claims to one partition: a member that was away holds old state', () => {
    const claims = [
      { member: 'a', owned: [0, 1], generation: 3 },
      { member: 'b', owned: [0, 1], generation: 4 },
      { member: 'c', owned: [], generation: 4 },
    ];
    expect(new Map(assignSticky(claims, 3))).toEqual(
      new Map([
        ['b', [0]],
        ['a', [1]],
        ['c', [2]],
      ]),
    );
  });

  it('gives nothing that another member holds: that one gives it up first, and the second time all is shared out', () => {
    fc.assert(
      fc.property(claimLists, counts, (claims, count) => {
        const before = [...assignSticky(claims, count)].map(([member, owned]) => ({
          member,
          owned,
          generation: 9,
        }));
        const grown = [...before.slice(1), { member: '', owned: [], generation: -1 }];
        const target = assignSticky(grown, count);
        const first = shareOut(grown, count);
        for (const { member, owned } of grown) {
          const theirs = grown.flatMap((one) => (one.member === member ? [] : one.owned));
          expect(first.get(member)?.filter((partition) => theirs.includes(partition))).toEqual([]);
          const stays = owned.filter((partition) => target.get(member)?.includes(partition));
          expect(first.get(member)).toEqual(expect.arrayContaining(stays));
        }
        const claimed = [...first].map(([member, owned]) => ({ member, owned, generation: 10 }));
        const second = shareOut(claimed, count);
        expect([...second.values()].flat()).toHaveLength(count);
        for (const { member, owned } of claimed) {
          expect(second.get(member)).toEqual(expect.arrayContaining(owned));
        }
      }),
    );
  });

  it('reads what a member says of itself, and takes nonsense for no claim', () => {
    const claim = { owned: [4, 7], generation: 12 };
    expect(decodeClaim('a', encodeClaim(claim))).toEqual({ member: 'a', ...claim });
    for (const text of ['', 'null', '{}', '[1]', '["x",[1]]', '[1,["x"]]', '[1,[1.5]]']) {
      expect(decodeClaim('a', Buffer.from(text))).toEqual({ member: 'a', owned: [], generation: -1 });
    }
  });
});
