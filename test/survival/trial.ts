import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommitMetadata } from '@loopwarden/detector/parts';
import { topicsOf } from '@loopwarden/schemas';
import type { Log } from '@loopwarden/stream';
import { uniqueName } from '../setup/kafka.ts';
import { run, type Server, startServer, waitUntil } from '../setup/processes.ts';
import { POLICIES } from '../simulation/calls.ts';
import { type Beginning, beginningsSaid } from './beginnings.ts';
import { Detector } from './detector.ts';
import type { LoadOrder, LoadReport } from './load-process.ts';
import { flagsOf, openPlace, PARTITIONS, type Place, writeIds } from './place.ts';
import { readManifests } from './states.ts';
import { type Testimony, Witness } from './witness.ts';

const COMMAND = join(import.meta.dirname, '../../services/cli/bin/loopwarden.js');
const PATIENCE_MS = 90_000;
/** Events that a log lets go of before it counts as one that forgets. */
const FORGOTTEN = 5_000;
/** Events that tell work from the rest of what was under way. */
const ADVANCE = 200;
/** A load that writes nothing for so long waits for someone. */
const HELD_UP_MS = 2_000;

export interface TrialOptions {
  /** Where the log will be, in a folder of the trial if it likes. */
  readonly place: (folder: string) => Place | Promise<Place>;
  readonly perSecond: number;
  readonly runs?: number;
}

/** A fleet under load whose detectors come to harm. Whoever opens it closes it. */
export class Trial {
  readonly folder: string;
  readonly place: Place;
  readonly group = uniqueName('trial');
  readonly #options: TrialOptions;
  readonly log: Log;
  readonly #witness: Witness;
  readonly detectors: Detector[] = [];
  #load: Server | null = null;

  private constructor(parts: { folder: string; place: Place; log: Log }, options: TrialOptions) {
    const { folder, place, log } = parts;
    this.folder = folder;
    this.place = place;
    this.log = log;
    this.#options = options;
    this.#witness = new Witness(log, { place, group: this.group });
  }

  /** Makes the topics and applies a policy, as an operator does. */
  static async open(options: TrialOptions): Promise<Trial> {
    const folder = await mkdtemp(join(tmpdir(), 'loopwarden-survival-'));
    const place = await options.place(folder);
    await writeIds(place, folder);
    const log = await openPlace(place);
    await log.admin.apply(topicsOf({ prefix: place.prefix, partitions: PARTITIONS }));
    const trial = new Trial({ folder, place, log }, options);
    await trial.applyPolicy(0);
    return trial;
  }

  async applyPolicy(number: number): Promise<void> {
    const file = join(this.folder, `policy-${number}.json`);
    await writeFile(file, POLICIES[number] ?? '{}');
    await this.command('policy', 'apply', file, '--reason', 'trial', '--yes');
  }

  /** Runs a command to its end; rejects with what it said unless it went well. */
  async command(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [COMMAND, ...args, ...flagsOf(this.place, this.folder)]);
    return stdout;
  }

  startLoad(): void {
    const { perSecond, runs = 60 } = this.#options;
    const names = Array.from({ length: runs }, (_, at) => `run-${at}`);
    const order: LoadOrder = { place: this.place, runs: names, seed: 7, perSecond };
    this.#load = startServer({
      command: process.execPath,
      args: [join(import.meta.dirname, 'load-process.ts'), JSON.stringify(order)],
      logFile: this.#loadFile,
    });
  }

  /** `product`: by the command itself; else with less patience, as the place says. */
  startDetector({ product = false } = {}): Detector {
    const order = JSON.stringify({ place: this.place, group: this.group });
    const settings = ['--detector-group', this.group, '--http-port', '0'];
    const args = product
      ? [COMMAND, 'detect', ...flagsOf(this.place, this.folder), ...settings]
      : [join(import.meta.dirname, 'detector-process.ts'), order];
    const detector = new Detector(args, join(this.folder, `detector-${this.detectors.length}`));
    this.detectors.push(detector);
    return detector;
  }

  /** Resolves when the detectors have judged and committed so many events more than now. */
  async advances(): Promise<void> {
    const before = await this.#committed();
    await this.#until('No event is judged.', async () => (await this.#committed()) > before + ADVANCE);
  }

  /**
   * Stops detectors as a machine does that stalls. One that is stopped in mid-transaction holds up everyone who
   * writes to an embedded log, until it goes on: it is let go and stopped again.
   */
  async putToSleep(detectors: readonly Detector[]): Promise<void> {
    for (;;) {
      for (const detector of detectors) detector.pause();
      const before = await this.written();
      const stopped = Date.now();
      while (Date.now() - stopped < HELD_UP_MS) {
        await sleep(200);
        if ((await this.written()) > before) return;
      }
      for (const detector of detectors) detector.resume();
    }
  }

  /** `kill -9` of all detectors; all that stands is remembered then, whatever becomes of it. */
  async crash(): Promise<void> {
    await Promise.all(this.detectors.map((detector) => detector.kill()));
    await this.#witness.remember();
  }

  /** All that were killed. */
  restart(): void {
    for (const detector of this.detectors) if (!detector.alive) detector.again();
  }

  /** Whoever takes over saves what it then knows: resolves when all have died once, and all is saved that they had judged. */
  async savesAgain(): Promise<void> {
    await this.crash();
    const judged = await this.log.reader.committed(this.group, `${this.place.prefix}events`);
    this.restart();
    await this.#until('The state is not saved.', async () => {
      const states = await readManifests(this.log, `${this.place.prefix}state`);
      return [...judged].every(([at, { offset }]) =>
        states.some(({ partition, coveredOffset }) => partition === at && coveredOffset >= offset),
      );
    });
  }

  /** Lineages that began so far, as the detectors say. */
  beginnings(): Promise<readonly Beginning[]> {
    return beginningsSaid(this.folder);
  }

  /**
   * Resolves, when every partition judges in a lineage not known yet, with the first such that was said of each.
   * One that is said may never begin: its partition was lost meanwhile.
   */
  async allBegin(known: ReadonlySet<string>): Promise<readonly Beginning[]> {
    const begun = new Map<number, Beginning>();
    await this.#until('No lineage begins somewhere.', async () => {
      for (const beginning of await this.beginnings()) {
        const { partition, lineage } = beginning;
        const first = begun.get(partition)?.lineage ?? Number.POSITIVE_INFINITY;
        if (!known.has(`${partition} ${lineage}`) && lineage < first) begun.set(partition, beginning);
      }
      const committed = await this.log.reader.committed(this.group, `${this.place.prefix}events`);
      const judging = [...begun.values()].filter(({ partition, lineage, to }) => {
        const { offset = 0, metadata = '' } = committed.get(partition) ?? {};
        return offset > to && (readCommitMetadata(metadata)?.lineage ?? 0) >= lineage;
      });
      return judging.length === PARTITIONS;
    });
    return [...begun.values()];
  }

  /** A time in the middle of what all partitions have judged; only while the detectors are dead. */
  async judgedMiddle(): Promise<number> {
    const committed = await this.log.reader.committed(this.group, `${this.place.prefix}events`);
    const times = this.#witness.times();
    const first = Math.min(...times.map((own) => own[0] ?? Number.POSITIVE_INFINITY));
    const last = Math.max(...times.map((own) => own.at(-1) ?? 0));
    const open = times.map((own, partition) => own[committed.get(partition)?.offset ?? 0] ?? last);
    return Math.floor((first + Math.min(...open)) / 2);
  }

  /** Events that were ever written. */
  async written(): Promise<number> {
    const ranges = await this.log.reader.ranges(`${this.place.prefix}events`);
    return ranges.reduce((sum, { end }) => sum + end, 0);
  }

  /** Resolves when the log has let go of so many events more than now. */
  async forgetsEvents(): Promise<void> {
    const starts = async () => {
      const ranges = await this.log.reader.ranges(`${this.place.prefix}events`);
      return ranges.reduce((sum, { start }) => sum + start, 0);
    };
    const before = await starts();
    await this.#until('No event is forgotten.', async () => (await starts()) > before + FORGOTTEN);
  }

  /** Resolves when the load has met a sentence of the log so many times since the trial began. */
  async loadMeets(sentence: string, times: number): Promise<void> {
    const met = async () => (await readFile(this.#loadFile, 'utf8')).split(sentence).length - 1;
    await this.#until(`The load never meets "${sentence}".`, async () => (await met()) >= times);
  }

  /** Ends the load, waits until all is judged, and compares. */
  async verdict(): Promise<Testimony> {
    await this.#load?.stop();
    const lines = (await readFile(this.#loadFile, 'utf8')).trim().split('\n');
    const report = JSON.parse(lines.at(-1) ?? '') as LoadReport;
    await this.#until('The detectors are behind.', async () => (await this.#witness.behind()) === 0);
    return this.#witness.testify(report, await this.beginnings());
  }

  /** `keep`: what the processes said stays. */
  async close(keep: boolean): Promise<void> {
    await Promise.all([this.#load?.kill(), ...this.detectors.map((detector) => detector.kill())]);
    await this.log.close();
    if (keep) console.warn(`What the processes said: ${this.folder}`);
    else await rm(this.folder, { recursive: true, force: true });
  }

  get #loadFile(): string {
    return join(this.folder, 'load.log');
  }

  async #committed(): Promise<number> {
    const committed = await this.log.reader.committed(this.group, `${this.place.prefix}events`);
    return [...committed.values()].reduce((sum, { offset }) => sum + offset, 0);
  }

  #until(sentence: string, ready: () => Promise<boolean>): Promise<void> {
    return waitUntil({
      ready,
      alive: () => true,
      withinMs: PATIENCE_MS,
      explain: () => `${sentence} What the processes said: ${this.folder}`,
    });
  }
}
