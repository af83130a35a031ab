import type { OpenedLog } from '../open-log.ts';
import { type ControlReading, controlRecords, type SaidRecord, type SaidVerdict } from './control-records.ts';
import type { Lineages } from './lineages.ts';
import type { Tally } from './tally.ts';

interface ControlListener {
  /** `offset`: of the event that it answers; of a renewed one, where its lineage begins. */
  readonly verdict: (said: SaidVerdict, offset: number) => void;
  readonly tally: Tally;
}

/** Reads what was published in step with the events that it answers, so that neither side is held in memory. */
export class ControlFeed {
  readonly #records: AsyncGenerator<SaidRecord>;
  readonly #lineages: Lineages;
  readonly #listener: ControlListener;
  /** How far the newest lineage heard has answered: everything below the offset. */
  #reached = { lineage: 0, offset: 0 };
  #ended = false;

  constructor(
    opened: OpenedLog,
    reading: ControlReading & { readonly lineages: Lineages },
    listener: ControlListener,
  ) {
    this.#records = controlRecords(opened, reading);
    this.#lineages = reading.lineages;
    this.#listener = listener;
  }

  /** Hands over until everything that answers events below the offset has been heard, or nothing more is there. */
  async hearUntil(offset: number): Promise<void> {
    const inCharge = this.#lineages.inCharge(offset - 1);
    while (!this.#ended && (this.#reached.lineage < inCharge || this.#reached.offset < offset)) {
      const { done, value } = await this.#records.next();
      if (done) this.#ended = true;
      else this.#hear(value);
    }
  }

  async close(): Promise<void> {
    await this.#records.return(undefined);
  }

  #hear(said: SaidRecord): void {
    if (said.type === 'unreadable') this.#listener.tally.unreadableControl += 1;
    else if (said.type === 'mark') this.#reach(said.lineage, said.judged + 1);
    else this.#hearVerdict(said);
  }

  #hearVerdict(said: SaidVerdict): void {
    const { lineage } = said;
    const offset = said.trigger ?? this.#lineages.startOf(lineage);
    this.#reach(lineage, said.trigger ?? 0);
    // Gateways go by what the newer lineage says of the event.
    if (lineage < this.#lineages.inCharge(offset)) this.#listener.tally.superseded += 1;
    else this.#listener.verdict(said, offset);
  }

  #reach(lineage: number, offset: number): void {
    if (lineage > this.#reached.lineage) this.#reached = { lineage, offset };
    else if (lineage === this.#reached.lineage) this.#reached.offset = Math.max(this.#reached.offset, offset);
  }
}
