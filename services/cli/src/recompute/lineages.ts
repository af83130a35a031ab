/** A lineage and the first offset of the events partition that was judged in it. */
export interface Lineage {
  readonly lineage: number;
  readonly from: number;
}

/**
 * Which lineage judged which events of one partition. An event that two lineages judged belongs to the newer
 * one: that is what gateways go by (wire contract, section 9).
 */
export class Lineages {
  /** By number, lowest first. */
  readonly #known: Lineage[] = [];

  /** Takes in that a record of this lineage follows. Whichever is heard first began before what is looked at. */
  hear(lineage: number): void {
    if (this.#known.length === 0) this.#known.push({ lineage, from: 0 });
  }

  /** Takes in where a lineage began; only the first word on it counts, and nothing of a zombie. */
  begin({ lineage, from }: Lineage): void {
    if (lineage > this.newest) this.#known.push({ lineage, from });
  }

  /** 0: none was heard of. */
  get newest(): number {
    return this.#known.at(-1)?.lineage ?? 0;
  }

  inCharge(offset: number): number {
    return this.#known.findLast(({ from }) => from <= offset)?.lineage ?? 0;
  }

  /** Where a lineage begins; 0 for one that is not known. */
  startOf(lineage: number): number {
    return this.#known.find((known) => known.lineage === lineage)?.from ?? 0;
  }

  /** The first lineage that takes charge above an offset, or null. */
  nextAfter(offset: number): Lineage | null {
    const later = this.#known.filter(
      (known) => known.from > offset && this.inCharge(known.from) === known.lineage,
    );
    return later.reduce<Lineage | null>(
      (first, next) => (first === null || next.from < first.from ? next : first),
      null,
    );
  }
}
