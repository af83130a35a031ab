/** What a member of a group says of itself when it joins. */
interface Claim {
  readonly member: string;
  /** The partitions it holds the state of. */
  readonly owned: readonly number[];
  /** The generation it holds them from: of two claims to one partition the newer one counts. */
  readonly generation: number;
}

/** The group protocol's name: members with another assignor are refused by the broker. */
export const protocolName = 'loopwarden-sticky';

/**
 * Who owns which of the partitions 0 to `count` − 1: as evenly as possible, and as few as possible change
 * hands, since a partition that moves has its state restored elsewhere.
 */
export function assignSticky(claims: readonly Claim[], count: number): ReadonlyMap<string, number[]> {
  const kept = settle(claims, count);
  const order = [...kept.keys()].sort((a, b) => sizeOf(kept, b) - sizeOf(kept, a) || (a < b ? -1 : 1));
  const free = new Set(Array.from({ length: count }, (_, partition) => partition));
  const result = new Map<string, number[]>();
  order.forEach((member, rank) => {
    // Those who own most may have one more where the division leaves a rest.
    const share = Math.floor(count / order.length) + (rank < count % order.length ? 1 : 0);
    const stays = (kept.get(member) ?? []).slice(0, share);
    for (const partition of stays) free.delete(partition);
    result.set(member, stays);
  });
  order.forEach((member, rank) => {
    const share = Math.floor(count / order.length) + (rank < count % order.length ? 1 : 0);
    const owned = result.get(member) ?? [];
    for (const partition of free) {
      if (owned.length >= share) break;
      owned.push(partition);
      free.delete(partition);
    }
    owned.sort((a, b) => a - b);
  });
  return result;
}

/**
 * What each member may have now: its share, less what another one still holds. That one is not given it again, so
 * it ends its work on it, gives it up and joins anew, and then it is free. A partition never has two owners, and
 * one that stays is never interrupted.
 */
export function shareOut(claims: readonly Claim[], count: number): ReadonlyMap<string, number[]> {
  const holder = new Map<number, string>();
  for (const [member, owned] of settle(claims, count)) {
    for (const partition of owned) holder.set(partition, member);
  }
  const free = (partition: number, member: string): boolean => (holder.get(partition) ?? member) === member;
  return new Map(
    [...assignSticky(claims, count)].map(([member, share]) => [
      member,
      share.filter((partition) => free(partition, member)),
    ]),
  );
}

/** The claims that stand, by member; the newest to each partition, the first member in order among equals. */
function settle(claims: readonly Claim[], count: number): Map<string, number[]> {
  const kept = new Map<string, number[]>();
  const taken = new Set<number>();
  const byAge = [...claims].sort((a, b) => b.generation - a.generation || (a.member < b.member ? -1 : 1));
  for (const { member, owned } of byAge) {
    const standing = [...new Set(owned)].filter((partition) => partition < count && !taken.has(partition));
    for (const partition of standing) taken.add(partition);
    kept.set(
      member,
      standing.sort((a, b) => a - b),
    );
  }
  return kept;
}

const sizeOf = (kept: ReadonlyMap<string, number[]>, member: string): number => kept.get(member)?.length ?? 0;

/** A claim without its member, as it travels in the subscription's user data. */
export function encodeClaim(claim: Omit<Claim, 'member'>): Buffer {
  return Buffer.from(JSON.stringify([claim.generation, claim.owned]));
}

/** A member's claim; what cannot be read claims nothing. */
export function decodeClaim(member: string, userData: Buffer): Claim {
  const nothing: Claim = { member, owned: [], generation: -1 };
  try {
    const [generation, owned] = JSON.parse(userData.toString()) as [unknown, unknown];
    if (!Number.isInteger(generation) || !Array.isArray(owned) || !owned.every(Number.isInteger))
      return nothing;
    return { member, generation: generation as number, owned: owned as number[] };
  } catch {
    return nothing;
  }
}
