import { readFile } from 'node:fs/promises';
import { type Server, startServer } from '../setup/processes.ts';

/** A detector in a process of its own, which can be killed and started anew; each life has its own log file. */
export class Detector {
  readonly #args: readonly string[];
  readonly #stem: string;
  #lives = 0;
  #server: Server;

  constructor(args: readonly string[], stem: string) {
    this.#args = args;
    this.#stem = stem;
    this.#server = this.#start();
  }

  /** Partitions that it has now, by what it says. */
  async owned(): Promise<number> {
    return (await this.count('Partition assigned.')) - (await this.count('Partition lost.'));
  }

  /** How often it has said a sentence in this life. */
  async count(sentence: string): Promise<number> {
    return (await readFile(this.#logFile, 'utf8')).split(sentence).length - 1;
  }

  /** What it has said in this life. */
  async lines(): Promise<readonly string[]> {
    return (await readFile(this.#logFile, 'utf8')).split('\n').filter((line) => line !== '');
  }

  /** How often it was started. */
  get lives(): number {
    return this.#lives;
  }

  get alive(): boolean {
    return this.#server.alive;
  }

  /** A machine that stalls, and comes back. */
  pause(): void {
    this.#server.pause();
  }

  resume(): void {
    this.#server.resume();
  }

  /** `kill -9`. */
  kill(): Promise<void> {
    return this.#server.kill();
  }

  /** Leaves in good order. */
  leave(): Promise<void> {
    return this.#server.stop();
  }

  again(): void {
    this.#server = this.#start();
  }

  get #logFile(): string {
    return `${this.#stem}.${this.#lives}.log`;
  }

  #start(): Server {
    this.#lives += 1;
    return startServer({ command: process.execPath, args: this.#args, logFile: this.#logFile });
  }
}
