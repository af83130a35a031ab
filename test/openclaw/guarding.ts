import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LoopEvent, PolicyDocument, Verdict } from '@loopwarden/detection';
import type { Connection } from '@loopwarden/gateway';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { openKafka } from '@loopwarden/gateway/kafka';
import type { LogPlace } from '@loopwarden/openclaw';
import { uniqueName } from '../setup/kafka.ts';
import { run, type Server, startServer, waitUntil } from '../setup/processes.ts';
import type { Addresses } from '../setup/services.ts';

const COMMAND = join(import.meta.dirname, '../../node_modules/.bin/loopwarden');
const UP_MS = 60_000;

/** All that the log holds of some runs, in order. */
export interface Recorded {
  readonly events: readonly LoopEvent[];
  readonly verdicts: readonly Verdict[];
}

/** A log, and what the `loopwarden` command does with it, in processes of their own. */
export class Guarding {
  /** As the plugin's configuration names it. */
  readonly place: LogPlace;
  readonly prefix: string;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #connect: () => Promise<Connection>;

  constructor(parts: {
    readonly folder: string;
    readonly place: LogPlace;
    readonly prefix: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly connect: () => Promise<Connection>;
  }) {
    this.place = parts.place;
    this.prefix = parts.prefix;
    this.#folder = parts.folder;
    this.#environment = { ...process.env, ...parts.environment, LOOPWARDEN_TOPICS_PREFIX: parts.prefix };
    this.#connect = parts.connect;
  }

  /** Runs a command to its end. */
  async loopwarden(...args: string[]): Promise<void> {
    await run(process.execPath, [COMMAND, ...args], { cwd: this.#folder, env: this.#environment });
  }

  async apply(policy: PolicyDocument): Promise<void> {
    const file = join(this.#folder, 'policy.json');
    writeFileSync(file, JSON.stringify(policy));
    await this.loopwarden('topics', 'apply');
    await this.loopwarden('policy', 'apply', file, '--yes', '--reason', 'a test');
  }

  /** Starts a detector in a process of its own and waits until it is up. */
  async detect(name: string): Promise<Server> {
    const logFile = join(this.#folder, `${name}.log`);
    const args = Object.entries(this.#environment).filter(([key]) => key.startsWith('LOOPWARDEN_'));
    const settings = args.map(([key, value]) => `${key}=${value}`);
    const command = [...settings, process.execPath, COMMAND, 'detect', '--http-port', '0'];
    const server = startServer({ command: 'env', args: command, logFile });
    await waitUntil({
      ready: async () => readFileSync(logFile, 'utf8').includes('The detector is up.'),
      alive: () => server.alive,
      withinMs: UP_MS,
      explain: () => `The detector did not start: ${readFileSync(logFile, 'utf8').slice(-2_000)}`,
    });
    return server;
  }

  /** What the log holds of the runs, once it no longer changes. */
  async recorded(isMeant: (record: LoopEvent | Verdict) => boolean): Promise<Recorded> {
    let before = await this.#read();
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      const now = await this.#read();
      if (isDeepStrictEqual(now, before)) {
        return { events: now.events.filter(isMeant), verdicts: now.verdicts.filter(isMeant) };
      }
      before = now;
    }
  }

  async #read(): Promise<Recorded> {
    const { log, codec } = await this.#connect();
    try {
      const values = async (topic: string): Promise<Uint8Array[]> => {
        const found: Uint8Array[] = [];
        for (const { partition } of await log.reader.ranges(topic)) {
          for await (const { records } of log.reader.read({
            topic,
            partition,
            from: 'start',
            until: 'end',
          })) {
            for (const { value } of records) if (value !== null) found.push(value);
          }
        }
        return found;
      };
      const events = (await values(`${this.prefix}events`)).map((value) => codec.decodeEvent(value));
      const control = (await values(`${this.prefix}control`)).map((value) => codec.decodeControl(value));
      return {
        events: events.flatMap((read) => (read.ok && read.value.type !== 'unknown' ? [read.value] : [])),
        verdicts: control.flatMap((read) =>
          read.ok && read.value.type === 'verdict' ? [read.value.verdict] : [],
        ),
      };
    } finally {
      await log.close();
    }
  }
}

/** Guarding on the embedded log of a folder. */
export function embeddedGuarding(folder: string): Guarding {
  const dir = join(folder, 'log');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return new Guarding({
    folder,
    place: { dir },
    prefix: 'loopwarden.',
    environment: { LOOPWARDEN_DATA_DIR: dir },
    connect: () => openEmbedded({ dir, create: true }),
  });
}

/** Guarding on a broker, with topics and schemas of its own. */
export async function kafkaGuarding(folder: string, { brokers, registry }: Addresses): Promise<Guarding> {
  const prefix = `${uniqueName('openclaw')}.`;
  const schemaIds = join(folder, 'schema-ids.json');
  const place = { brokers, schemaIds };
  const guarding = new Guarding({
    folder,
    place,
    prefix,
    environment: {
      LOOPWARDEN_DATA_DIR: folder,
      LOOPWARDEN_LOG: 'kafka',
      LOOPWARDEN_KAFKA_BROKERS: brokers.join(','),
      LOOPWARDEN_REGISTRY_URL: registry,
      LOOPWARDEN_REGISTRY_ID_FILE: schemaIds,
    },
    connect: () => openKafka({ ...place, prefix }),
  });
  await guarding.loopwarden('topics', 'apply');
  await guarding.loopwarden('schemas', 'register');
  return guarding;
}
