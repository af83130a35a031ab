import type { PartitionRange } from '../log.ts';
import type { RecordSource, Slice, SliceFrom } from '../record-source.ts';
import type { MemoryBroker } from './broker.ts';
import type { Line } from './line.ts';

/** The broker's records as they reach one process. */
export class MemorySource implements RecordSource {
  readonly #line: Line;
  readonly #broker: MemoryBroker;

  constructor(line: Line, broker: MemoryBroker) {
    this.#line = line;
    this.#broker = broker;
  }

  range(topic: string, partition: number): Promise<PartitionRange> {
    return this.#line.ask('read', topic, () => this.#broker.partition(topic, partition).range);
  }

  offsetAt(topic: string, partition: number, timestamp: number): Promise<number> {
    return this.#line.ask('read', topic, () => this.#broker.partition(topic, partition).offsetAt(timestamp));
  }

  slice(topic: string, partition: number, from: SliceFrom): Promise<Slice> {
    return this.#line.ask('read', topic, () => this.#broker.partition(topic, partition).slice(from));
  }

  grown(topic: string, partition: number, from: { end: number; signal: AbortSignal }): Promise<void> {
    const log = this.#broker.partition(topic, partition);
    return new Promise((resolve) => {
      const { end, signal } = from;
      if (signal.aborted || log.range.end > end) return this.#line.tell(resolve);
      const stopWaiting = log.wait(() => {
        signal.removeEventListener('abort', aborted);
        this.#line.tell(() => resolve(this.grown(topic, partition, from)));
      });
      const aborted = (): void => {
        stopWaiting();
        this.#line.tell(resolve);
      };
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
