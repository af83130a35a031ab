/**
 * The bytes that members of a consumer group exchange through the broker: version 0 of Kafka's consumer
 * protocol, which every Kafka tool can read (`ConsumerProtocolSubscription`, `ConsumerProtocolAssignment`).
 */
interface Subscription {
  readonly topics: readonly string[];
  readonly userData: Buffer;
}

const VERSION = 0;

export function encodeSubscription({ topics, userData }: Subscription): Buffer {
  return Buffer.concat([
    int16(VERSION),
    int32(topics.length),
    ...topics.map(text),
    int32(userData.length),
    userData,
  ]);
}

export function decodeSubscription(bytes: Buffer): Subscription {
  const cursor = new Cursor(bytes);
  cursor.int16();
  const topics = Array.from({ length: cursor.int32() }, () => cursor.text());
  return { topics, userData: cursor.bytes() };
}

export function encodeAssignment(topic: string, partitions: readonly number[]): Buffer {
  const lists =
    partitions.length === 0 ? [] : [text(topic), int32(partitions.length), ...partitions.map(int32)];
  return Buffer.concat([int16(VERSION), int32(lists.length === 0 ? 0 : 1), ...lists, int32(0)]);
}

/** The partitions of the topic in an assignment; an empty one may be no bytes at all. */
export function decodeAssignment(bytes: Buffer, topic: string): number[] {
  if (bytes.length === 0) return [];
  const cursor = new Cursor(bytes);
  cursor.int16();
  const topics = Array.from({ length: cursor.int32() }, () => ({
    name: cursor.text(),
    partitions: Array.from({ length: cursor.int32() }, () => cursor.int32()),
  }));
  return topics.filter(({ name }) => name === topic).flatMap(({ partitions }) => partitions);
}

function int16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  text(): string {
    return this.#take(this.int16()).toString();
  }

  bytes(): Buffer {
    return this.#take(this.int32());
  }

  #take(length: number): Buffer {
    // -1 stands for null.
    const size = Math.max(0, length);
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }
}
