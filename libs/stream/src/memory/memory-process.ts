import {
  type Committed,
  type GroupHandlers,
  type GroupOptions,
  type Log,
  LogError,
  type LogGroup,
  type LogReader,
  type LogWriter,
} from '../log.ts';
import type { OutRecord, Position } from '../record.ts';
import { refuseUnfit } from '../record-bytes.ts';
import { readBatches } from '../record-source.ts';
import type { MemoryBroker } from './broker.ts';
import type { Surroundings } from './fault.ts';
import { GroupMember } from './group-member.ts';
import { Line } from './line.ts';
import { MemorySource } from './memory-source.ts';

/** One simulated process: its line to the broker and the log over it. */
export class MemoryProcess {
  readonly log: Log;
  readonly #broker: MemoryBroker;
  readonly #line: Line;
  readonly #source: MemorySource;
  readonly #closing = new AbortController();
  readonly #members = new Map<GroupMember, GroupOptions>();

  constructor(process: string, broker: MemoryBroker, surroundings: Surroundings) {
    this.#broker = broker;
    this.#line = new Line(process, surroundings);
    this.#source = new MemorySource(this.#line, broker);
    this.log = {
      writer: () => this.#writer(),
      join: (options, handlers) => this.#join(options, handlers),
      reader: this.#reader(),
      admin: {
        plan: (topics) => this.#ask('admin', '', () => broker.plan(topics)),
        apply: (topics) => this.#ask('admin', '', () => broker.apply(topics)),
        topics: () => this.#ask('admin', '', () => broker.topics()),
      },
      health: () => ({ ok: true, detail: 'The log is in memory.' }),
      close: () => this.#close(),
    };
  }

  crash(): void {
    this.#line.crash();
  }

  /** The process's groups go on without it. */
  forget(): void {
    for (const [member, { group, topic }] of this.#members)
      this.#broker.coordinator(group, topic).remove(member);
  }

  heal(): void {
    for (const [member, { group, topic }] of this.#members) {
      this.#line.tell(() => {
        // A refused commit may have told it before.
        if (!this.#broker.coordinator(group, topic).has(member)) member.expelled();
      });
    }
  }

  #ask: Line['ask'] = (kind, topic, effect) => {
    if (this.#closing.signal.aborted) return Promise.reject(closed());
    return this.#line.ask(kind, topic, effect);
  };

  #writer(): LogWriter {
    let open = true;
    return {
      append: async (records) => {
        if (!open) throw closed();
        const topic = records[0]?.topic ?? '';
        return this.#ask('append', topic, (midway) => this.#append(records, midway));
      },
      close: async () => {
        open = false;
      },
    };
  }

  #append(records: readonly OutRecord[], midway: boolean): readonly Position[] {
    for (const record of records) refuseUnfit(record, this.#broker.spec(record.topic)?.partitions);
    const now = this.#broker.clock.now();
    const appended = midway ? records.slice(0, records.length >> 1) : records;
    const positions = appended.map((record) => {
      const timestamps = this.#broker.spec(record.topic)?.timestamps ?? 'append';
      return this.#broker.partition(record.topic, record.partition).append(record, { now, timestamps });
    });
    for (const { topic, partition } of positions) this.#broker.partition(topic, partition).wake();
    return positions;
  }

  async #join(options: GroupOptions, handlers: GroupHandlers): Promise<LogGroup> {
    return this.#ask('group', options.topic, () => {
      const coordinator = this.#broker.coordinator(options.group, options.topic);
      const member = new GroupMember({
        line: this.#line,
        source: this.#source,
        coordinator,
        options,
        handlers,
      });
      this.#members.set(member, options);
      coordinator.join(member);
      return member;
    });
  }

  #reader(): LogReader {
    return {
      read: (options) => {
        const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
        return readBatches(this.#source, { ...options, signal: AbortSignal.any(signals) });
      },
      ranges: (topic) =>
        this.#ask('read', topic, () => this.#broker.partitions(topic).map(({ range }) => range)),
      offsetsAt: (topic, timestamp) =>
        this.#ask('read', topic, () => {
          const partitions = this.#broker.partitions(topic);
          return new Map(partitions.map((log, partition) => [partition, log.offsetAt(timestamp)]));
        }),
      committed: (group, topic) =>
        this.#ask(
          'read',
          topic,
          (): ReadonlyMap<number, Committed> => new Map(this.#broker.coordinator(group, topic).committed),
        ),
    };
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#members.keys()].map((member) => member.close()));
  }
}

function closed(): LogError {
  return new LogError('closed', 'The log was closed. Open it again to use it.');
}
