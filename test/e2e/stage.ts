import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '@loopwarden/gateway';
import { openKafka } from '@loopwarden/gateway/kafka';
import { uniqueName } from '../setup/kafka.ts';
import { run, type Server, startServer, waitUntil } from '../setup/processes.ts';
import type { Addresses } from '../setup/services.ts';
import { POLICY } from './ways.ts';

const PARTITIONS = 12;

const PROGRAM = join(import.meta.dirname, '../../node_modules/.bin/loopwarden');
const PATIENCE_MS = 60_000;

/** Topics, schemas and a policy of one fleet, and the detectors that watch it. */
export class Stage {
  readonly prefix: string;
  readonly brokers: readonly string[];
  readonly idFile: string;
  readonly #folder: string;
  readonly #settings: readonly string[];
  readonly #group: string;
  readonly #detectors: DetectorProcess[] = [];

  private constructor({ brokers, registry }: Addresses, folder: string) {
    const name = uniqueName('fleet');
    this.prefix = `${name}.`;
    this.brokers = brokers;
    this.idFile = join(folder, 'ids.json');
    this.#folder = folder;
    this.#group = name;
    const settings = {
      log: 'kafka',
      'kafka-brokers': brokers.join(','),
      'topics-prefix': this.prefix,
      'topics-partitions': String(PARTITIONS),
      'registry-url': registry,
      'registry-id-file': this.idFile,
    };
    this.#settings = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  }

  /** Prepares a cluster for a fleet as an operator does. */
  static async prepare(addresses: Addresses): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'loopwarden-fleet-'));
    const stage = new Stage(addresses, folder);
    const policy = join(folder, 'policy.json');
    await writeFile(policy, JSON.stringify(POLICY));
    await Promise.all([stage.command('topics', 'apply'), stage.command('schemas', 'register')]);
    await stage.command('policy', 'apply', policy, '--reason', 'a fleet', '--yes');
    return stage;
  }

  /** Runs a command to its end; rejects with what it said unless it went well. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [PROGRAM, ...args, ...this.#settings]);
    return stdout;
  }

  /** Two detectors, each with its half of the partitions. */
  async startDetectors(): Promise<readonly [DetectorProcess, DetectorProcess]> {
    const first = this.#addDetector('detector-1');
    await first.untilItOwns(PARTITIONS);
    const second = this.#addDetector('detector-2');
    await second.untilItOwns(PARTITIONS / 2);
    return [first, second];
  }

  /** Resolves once every event is judged, and what that led to is published. */
  async judged(): Promise<void> {
    const { log } = await this.connect();
    const topic = `${this.prefix}events`;
    const behind = async (): Promise<number> => {
      const committed = await log.reader.committed(this.#group, topic);
      const ranges = await log.reader.ranges(topic);
      return ranges.filter(({ partition, end }) => (committed.get(partition)?.offset ?? 0) < end).length;
    };
    await waitUntil({
      ready: async () => (await behind()) === 0,
      alive: () => true,
      withinMs: PATIENCE_MS,
      explain: () => `The detectors are behind. Their logs are in ${this.#folder}`,
    }).finally(() => log.close());
  }

  /** A connection of its own to this fleet's log; whoever asks closes it. */
  connect(): Promise<Connection> {
    return openKafka({ brokers: this.brokers, schemaIds: this.idFile, prefix: this.prefix });
  }

  /** Ends the detectors. `keep`: their logs stay, and this says where. */
  async close(keep: boolean): Promise<string | null> {
    await Promise.all(this.#detectors.map((detector) => detector.stop()));
    if (!keep) await rm(this.#folder, { recursive: true, force: true });
    return keep ? this.#folder : null;
  }

  #addDetector(name: string): DetectorProcess {
    const own = ['--detector-group', this.#group, '--detector-instance', name, '--http-port', '0'];
    const args = [PROGRAM, 'detect', ...this.#settings, ...own];
    const detector = new DetectorProcess(args, join(this.#folder, `${name}.log`));
    this.#detectors.push(detector);
    return detector;
  }
}

/** A detector in a process of its own, with a log file that outlives it. */
export class DetectorProcess {
  readonly #args: readonly string[];
  readonly #logFile: string;
  #server: Server;

  constructor(args: readonly string[], logFile: string) {
    this.#args = args;
    this.#logFile = logFile;
    this.#server = this.#start();
  }

  /** Partitions that it has, by what it says. */
  async owned(): Promise<number> {
    const text = await readFile(this.#logFile, 'utf8');
    const count = (sentence: string): number => text.split(sentence).length - 1;
    return count('Partition assigned.') - count('Partition lost.');
  }

  async untilItOwns(partitions: number): Promise<void> {
    await waitUntil({
      ready: async () => (await this.owned()) === partitions,
      alive: () => this.#server.alive,
      withinMs: PATIENCE_MS,
      explain: () => `The detector does not own ${partitions} partitions. Its log: ${this.#logFile}`,
    });
  }

  /** Kills it in mid-work, and starts it again at once. Gives the number of partitions that it left alone. */
  async killAndStart(): Promise<number> {
    const owned = await this.owned();
    await this.#server.kill();
    this.#server = this.#start();
    return owned;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  #start(): Server {
    return startServer({ command: process.execPath, args: this.#args, logFile: this.#logFile });
  }
}
