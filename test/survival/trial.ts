import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicsOf } from '@loopwarden/schemas';
import type { Log } from '@loopwarden/stream';
import { uniqueName } from '../setup/kafka.ts';
import { run, type Server, startServer, waitUntil } from '../setup/processes.ts';
import { POLICIES } from '../simulation/calls.ts';
import { Detector } from './detector.ts';
import type { LoadOrder, LoadReport } from './load-process.ts';
import { flagsOf, openPlace, PARTITIONS, type Place, writeIds } from './place.ts';
import { type Testimony, Witness } from './witness.ts';

const COMMAND = join(import.meta.dirname, '../../services/cli/bin/loopwarden.js');
const PATIENCE_MS = 90_000;
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
  readonly #log: Log;
  readonly #witness: Witness;
  readonly #detectors: Detector[] = [];
  #load: Server | null = null;

  private constructor(parts: { folder: string; place: Place; log: Log }, options: TrialOptions) {
    const { folder, place, log } = parts;
    this.folder = folder;
    this.place = place;
    this.#log = log;
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
    const detector = new Detector(args, join(this.folder, `detector-${this.#detectors.length}`));
    this.#detectors.push(detector);
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
      const before = await this.#written();
      const stopped = Date.now();
      while (Date.now() - stopped < HELD_UP_MS) {
        await sleep(200);
        if ((await this.#written()) > before) return;
      }
      for (const detector of detectors) detector.resume();
    }
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
    return this.#witness.testify(report);
  }

  /** `keep`: what the processes said stays. */
  async close(keep: boolean): Promise<void> {
    await Promise.all([this.#load?.kill(), ...this.#detectors.map((detector) => detector.kill())]);
    await this.#log.close();
    if (keep) console.warn(`What the processes said: ${this.folder}`);
    else await rm(this.folder, { recursive: true, force: true });
  }

  get #loadFile(): string {
    return join(this.folder, 'load.log');
  }

  async #committed(): Promise<number> {
    const committed = await this.#log.reader.committed(this.group, `${this.place.prefix}events`);
    return [...committed.values()].reduce((sum, { offset }) => sum + offset, 0);
  }

  /** Events that stand in the log. */
  async #written(): Promise<number> {
    const ranges = await this.#log.reader.ranges(`${this.place.prefix}events`);
    return ranges.reduce((sum, { end }) => sum + end, 0);
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
