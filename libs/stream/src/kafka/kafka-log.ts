import type {
  GroupHandlers,
  GroupOptions,
  Log,
  LogAdmin,
  LogGroup,
  LogHealth,
  LogReader,
  LogWriter,
} from '../log.ts';
import { LogError } from '../log.ts';
import { KafkaAdmin } from './admin.ts';
import { type Connection, connectionTo } from './connection.ts';
import { KafkaGroup } from './group.ts';
import { Health } from './health.ts';
import type { KafkaOptions } from './options.ts';
import { KafkaReader } from './reader.ts';
import { KafkaWriter } from './writer.ts';

/**
 * A log that is a Kafka cluster (3.0 to 4.x). Connects when something is asked of it. What is acknowledged is on
 * all brokers in sync; without TLS and SASL options the connection is plain and anonymous.
 */
export function kafkaLog(options: KafkaOptions): Log {
  return new KafkaLog(options);
}

interface Closable {
  close(): Promise<void>;
}

class KafkaLog implements Log {
  readonly reader: LogReader;
  readonly admin: LogAdmin;
  readonly #connection: Connection;
  readonly #health: Health;
  readonly #reader: KafkaReader;
  readonly #opened = new Set<Closable>();
  #closed = false;

  constructor(options: KafkaOptions) {
    this.#connection = connectionTo(options);
    this.#health = new Health(this.#connection.timings.stall, this.#connection.say);
    this.#reader = new KafkaReader(this.#connection, this.#health);
    this.reader = this.#reader;
    this.admin = new KafkaAdmin(this.#connection);
  }

  writer(): LogWriter {
    this.#refuseClosed();
    const writer = new KafkaWriter(this.#connection, this.#health);
    this.#opened.add(writer);
    return writer;
  }

  async join(options: GroupOptions, handlers: GroupHandlers): Promise<LogGroup> {
    this.#refuseClosed();
    const group = await KafkaGroup.join({
      connection: this.#connection,
      health: this.#health,
      options,
      handlers,
    });
    this.#opened.add(group);
    return group;
  }

  health(): LogHealth {
    return this.#health.now();
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Groups first: their batches in flight may still append.
    const opened = [...this.#opened];
    await Promise.all(opened.filter((part) => part instanceof KafkaGroup).map((group) => group.close()));
    await Promise.all(opened.map((part) => part.close()));
    await this.#reader.close();
  }

  #refuseClosed(): void {
    if (this.#closed) throw new LogError('closed', 'The log is closed. Open it again.');
  }
}
