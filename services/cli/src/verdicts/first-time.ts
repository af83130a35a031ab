import type { Verdict } from '@loopwarden/detection';

/** Runs that are remembered; one that was forgotten may be heard again, which hurts nobody. */
const RUNS = 10_000;

type Place = Pick<Verdict, 'epoch' | 'sequence'>;

/** Tells a verdict from its redelivery: a detector that was killed may say the last ones again. */
export class FirstTime {
  readonly #newest = new Map<string, Place>();

  isFirst({ runId, epoch, sequence }: Verdict): boolean {
    const known = this.#newest.get(runId);
    if (known !== undefined && !isAfter({ epoch, sequence }, known)) return false;
    this.#newest.delete(runId);
    this.#newest.set(runId, { epoch, sequence });
    if (this.#newest.size > RUNS) this.#forgetOldest();
    return true;
  }

  #forgetOldest(): void {
    for (const runId of this.#newest.keys()) {
      this.#newest.delete(runId);
      return;
    }
  }
}

function isAfter(one: Place, other: Place): boolean {
  return one.epoch === other.epoch ? one.sequence > other.sequence : one.epoch > other.epoch;
}
