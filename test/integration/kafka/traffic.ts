import type { InRecord, Log, LogWriter } from '@loopwarden/stream';
import { partitionOf } from '@loopwarden/stream';

const KEYS = Array.from({ length: 20 }, (_, number) => `run-${number}`);

/** A topic for one spec. */
export async function makeTopic(log: Log, name: string, partitions: number): Promise<string> {
  await log.admin.apply([
    { name, partitions, cleanup: 'delete', retentionMs: 3_600_000, timestamps: 'append' },
  ]);
  return name;
}

/** Steady appends of 1, 2, 3, … per key, with note of what was acknowledged. */
export class Traffic {
  /** The highest acknowledged number and all of them, by key. */
  readonly acknowledged = new Map<string, number[]>(KEYS.map((key) => [key, []]));
  readonly #writer: LogWriter;
  readonly #topic: string;
  readonly #partitions: number;
  readonly #every: number;
  #stopped = false;
  readonly #running: Promise<unknown>;

  /** One append a key every `every` milliseconds, each waiting for the last one. */
  constructor(log: Log, at: { topic: string; partitions: number; every: number }) {
    this.#writer = log.writer();
    this.#topic = at.topic;
    this.#partitions = at.partitions;
    this.#every = at.every;
    this.#running = Promise.all(KEYS.map((key) => this.#follow(key)));
  }

  get count(): number {
    return [...this.acknowledged.values()].reduce((sum, numbers) => sum + numbers.length, 0);
  }

  /** Resolves when the appends under way are acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #follow(key: string): Promise<void> {
    for (let number = 1; !this.#stopped; number++) {
      const value = Buffer.from(String(number));
      const partition = partitionOf(key, this.#partitions);
      await this.#writer.append([{ topic: this.#topic, partition, key, value }]);
      this.acknowledged.get(key)?.push(number);
      await new Promise((resolve) => setTimeout(resolve, this.#every));
    }
  }
}

interface Findings {
  /** `key:number` of what was acknowledged and never came. */
  readonly lost: readonly string[];
  /** `key:number` of what came for the first time after a later number of its key. */
  readonly disordered: readonly string[];
  /** How many came again. */
  readonly repeated: number;
}

/** Holds what was consumed, in the order of consumption, against what was acknowledged. */
export function compare(traffic: Traffic, consumed: readonly Consumed[]): Findings {
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  const disordered: string[] = [];
  for (const { key, number } of consumed) {
    const name = `${key}:${number}`;
    if (!seen.has(name) && number < (highest.get(key) ?? 0)) disordered.push(name);
    seen.add(name);
    highest.set(key, Math.max(number, highest.get(key) ?? 0));
  }
  const all = [...traffic.acknowledged].flatMap(([key, numbers]) =>
    numbers.map((number) => `${key}:${number}`),
  );
  return { lost: all.filter((name) => !seen.has(name)), disordered, repeated: consumed.length - seen.size };
}

export interface Consumed {
  readonly key: string;
  readonly number: number;
}

export function consumedFrom({ key, value }: Pick<InRecord, 'key' | 'value'>): Consumed {
  return { key: Buffer.from(key ?? []).toString(), number: Number(Buffer.from(value ?? []).toString()) };
}
