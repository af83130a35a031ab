import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import type { Log, TopicSpec } from '../log.ts';
import type { Batch, InRecord, OutRecord } from '../record.ts';

/** A driver under test: one log that several connections share, as processes would. */
export interface ContractDriver {
  readonly capabilities: {
    /** Members of a group share partitions; else one owns all of them and the others wait. */
    readonly sharing: boolean;
  };
  /** Upper bound of any one wait in milliseconds; 5 s unless given. */
  readonly patience?: number;
  /** A connection to the log as another process would have it; the suite closes it. */
  connect(): Promise<Log>;
  /**
   * Has the group of a connection go on without it while its handlers still run, as after a session timeout.
   * Left out: the promises about zombies are skipped.
   */
  expel?(log: Log): Promise<void>;
  /** Gives back everything that the driver holds, the log's contents included. */
  close(): Promise<void>;
}

/** The log under test with what every promise needs. */
export class Trial {
  readonly driver: ContractDriver;
  readonly #logs: Log[] = [];

  constructor(driver: ContractDriver) {
    this.driver = driver;
  }

  async connect(): Promise<Log> {
    const log = await this.driver.connect();
    this.#logs.push(log);
    return log;
  }

  /** A fresh topic. */
  async topic(log: Log, settings: Partial<TopicSpec> = {}): Promise<string> {
    const spec = topicSpec(settings);
    await log.admin.apply([spec]);
    return spec.name;
  }

  /** Waits until the assertions hold. */
  eventually<T>(assertions: () => T | Promise<T>): Promise<T> {
    return vi.waitFor(assertions, { timeout: this.driver.patience ?? 5000, interval: 10 });
  }

  async closeLogs(): Promise<void> {
    await Promise.all(this.#logs.splice(0).map((log) => log.close()));
  }
}

/** A topic declaration with a name of its own. */
export function topicSpec(settings: Partial<TopicSpec> = {}): TopicSpec {
  const name = `contract.${randomUUID()}`;
  return {
    name,
    partitions: 1,
    cleanup: 'delete',
    retentionMs: 604_800_000,
    timestamps: 'append',
    ...settings,
  };
}

export function groupName(): string {
  return `contract-${randomUUID()}`;
}

const utf8 = new TextEncoder();

export function record(topic: string, text: string, settings: Partial<OutRecord> = {}): OutRecord {
  return { topic, partition: 0, key: null, value: utf8.encode(text), ...settings };
}

/** `count` records with the texts 0, 1, 2, … in one partition. */
export function numbered(
  topic: string,
  count: number,
  settings: Partial<OutRecord> = {},
): readonly OutRecord[] {
  return Array.from({ length: count }, (_, number) => record(topic, String(number), settings));
}

export function textOf({ value }: Pick<InRecord, 'value'>): string {
  return new TextDecoder().decode(value ?? new Uint8Array());
}

export async function collect(batches: AsyncIterable<Batch>): Promise<readonly InRecord[]> {
  const records: InRecord[] = [];
  for await (const batch of batches) records.push(...batch.records);
  return records;
}

/** Everything that a partition holds. */
export function everything(log: Log, topic: string, partition = 0): Promise<readonly InRecord[]> {
  return collect(log.reader.read({ topic, partition, from: 'start', until: 'end' }));
}
