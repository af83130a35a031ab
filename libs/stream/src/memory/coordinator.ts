import { type Committed, LogError } from '../log.ts';

/** A member as the coordinator knows it. */
export interface Member {
  /** The partition is the member's, under this epoch, until it is taken or the member is expelled. */
  give(partition: number, epoch: number): void;
  /** The partition is wanted back; resolves when the member is through with it. */
  take(partition: number): Promise<void>;
}

interface Owner {
  readonly member: Member;
  /** Grows with every change of hands, so that a late commit of an earlier owner is known for what it is. */
  readonly epoch: number;
}

/** Who owns which partition of one topic in one group, and what was committed. Owners keep what they have. */
export class Coordinator {
  readonly committed = new Map<number, Committed>();
  readonly #partitions: readonly number[];
  #members: Member[] = [];
  readonly #owners = new Map<number, Owner>();
  readonly #moving = new Set<Owner>();
  #epoch = 0;

  constructor(partitions: number) {
    this.#partitions = Array.from({ length: partitions }, (_, partition) => partition);
  }

  has(member: Member): boolean {
    return this.#members.includes(member);
  }

  join(member: Member): void {
    this.#members.push(member);
    this.#settle();
  }

  /** The member is gone, or thought to be: its partitions are free at once. */
  remove(member: Member): void {
    this.#members = this.#members.filter((other) => other !== member);
    for (const [partition, owner] of this.#owners) {
      if (owner.member === member) this.#owners.delete(partition);
    }
    this.#settle();
  }

  owns(member: Member, partition: number, epoch: number): boolean {
    const owner = this.#owners.get(partition);
    return owner?.member === member && owner.epoch === epoch;
  }

  commit(
    member: Member,
    partition: number,
    { epoch, committed }: { epoch: number; committed: Committed },
  ): void {
    if (!this.owns(member, partition, epoch)) {
      throw new LogError(
        'fenced',
        `Another member owns partition ${partition} now. Its commits count, not this one.`,
      );
    }
    this.committed.set(partition, committed);
  }

  /** Takes every partition back and deals them out again, beginning with another member. */
  rebalance(): void {
    const [first, ...others] = this.#members;
    if (first !== undefined) this.#members = [...others, first];
    for (const [partition, owner] of this.#owners) this.#move(partition, owner);
  }

  #settle(): void {
    for (const [member, share] of this.#shares()) {
      for (const [partition, owner] of this.#held(member).slice(share)) this.#move(partition, owner);
    }
    for (const partition of this.#partitions) {
      if (!this.#owners.has(partition)) this.#deal(partition);
    }
  }

  #deal(partition: number): void {
    for (const [member, share] of this.#shares()) {
      if (this.#held(member).length >= share) continue;
      const owner = { member, epoch: ++this.#epoch };
      this.#owners.set(partition, owner);
      member.give(partition, owner.epoch);
      return;
    }
  }

  #move(partition: number, owner: Owner): void {
    if (this.#moving.has(owner)) return;
    this.#moving.add(owner);
    void owner.member.take(partition).then(() => {
      this.#moving.delete(owner);
      if (this.#owners.get(partition) === owner) this.#owners.delete(partition);
      this.#settle();
    });
  }

  /** How many partitions each member should hold: as even as can be, those who hold more first. */
  #shares(): readonly (readonly [Member, number])[] {
    const count = this.#members.length;
    const even = Math.floor(this.#partitions.length / count);
    const over = this.#partitions.length % count;
    return [...this.#members]
      .sort((one, other) => this.#held(other).length - this.#held(one).length)
      .map((member, rank) => [member, rank < over ? even + 1 : even]);
  }

  /** What a member holds and is not asked to give back. */
  #held(member: Member): readonly (readonly [number, Owner])[] {
    return [...this.#owners].filter(([, owner]) => owner.member === member && !this.#moving.has(owner));
  }
}
