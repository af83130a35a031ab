import { LogError } from '../log.ts';
import { type AskRegistry, type RegistryOptions, registryClient } from './registry-client.ts';

/** Looks schemas up in a registry; writes nothing to it. */
export interface SchemaRegistry {
  /**
   * The schema of an id as parsed JSON; null: the registry has no such id. Rejects with a `LogError`
   * `unavailable` while the registry cannot be reached.
   */
  findSchema(id: number): Promise<unknown>;
  /** The id of a schema in a subject; null: it was not registered there. Rejects as `findSchema`. */
  idOf(subject: string, schema: unknown): Promise<number | null>;
}

const MISS_FOR_MS = 30_000;
/** Misses are remembered for records that follow each other; a stream of ever new ids must not fill the memory. */
const MOST_MISSES = 1_000;

/**
 * A registry with memory: an id that was found never changes, one that was missing is not asked for again for a
 * while, and an id that many ask for at once is looked up once.
 */
export function schemaRegistry(options: RegistryOptions): SchemaRegistry {
  return new Lookup(registryClient(options), options.missForMs ?? MISS_FOR_MS);
}

class Lookup implements SchemaRegistry {
  readonly #ask: AskRegistry;
  readonly #missForMs: number;
  readonly #found = new Map<number, unknown>();
  readonly #missing = new Map<number, number>();
  readonly #asked = new Map<number, Promise<unknown>>();

  constructor(ask: AskRegistry, missForMs: number) {
    this.#ask = ask;
    this.#missForMs = missForMs;
  }

  async findSchema(id: number): Promise<unknown> {
    if (this.#found.has(id)) return this.#found.get(id);
    const missedAt = this.#missing.get(id);
    if (missedAt !== undefined && performance.now() - missedAt < this.#missForMs) return null;
    let asked = this.#asked.get(id);
    if (asked === undefined) {
      asked = this.#look(id).finally(() => this.#asked.delete(id));
      this.#asked.set(id, asked);
    }
    return asked;
  }

  async idOf(subject: string, schema: unknown): Promise<number | null> {
    const answer = await this.#ask({ path: pathOf(subject), body: { schema: JSON.stringify(schema) } });
    return answer === null ? null : idIn(answer);
  }

  async #look(id: number): Promise<unknown> {
    const answer = await this.#ask({ path: `/schemas/ids/${id}` });
    if (answer === null) {
      if (this.#missing.size >= MOST_MISSES) this.#missing.clear();
      this.#missing.set(id, performance.now());
      return null;
    }
    const schema: unknown = JSON.parse(String(answer.schema));
    this.#found.set(id, schema);
    return schema;
  }
}

/** Where a subject is asked about. */
export function pathOf(subject: string): string {
  return `/subjects/${encodeURIComponent(subject)}`;
}

/** The id in a registry's answer. */
export function idIn(answer: Readonly<Record<string, unknown>>): number {
  const { id } = answer;
  if (typeof id === 'number') return id;
  throw new LogError('unavailable', 'The schema registry answers without an id. Check its address.');
}
