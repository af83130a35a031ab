import { closeSync, type FSWatcher, openSync, watch, writeSync } from 'node:fs';

/** How often to look without having heard the bell, in case a ring was lost. */
const lookMs = 50;
/** How often to look where the bell cannot be heard at all. */
const deafLookMs = 5;

const ring = Buffer.from('.');

/**
 * How processes that share a directory hear of each other's commits: whoever commits writes a byte to a
 * small file, whose watchers wake. A writer that was killed between the two is made up for by looking at the
 * database's version now and then. Costs nothing while nobody waits.
 */
export class Doorbell {
  readonly #bell: number;
  readonly #watcher: FSWatcher | undefined;
  readonly #version: () => unknown;
  readonly #heard: () => void;
  #seen: unknown;
  #looking: NodeJS.Timeout | undefined;
  #pending = false;
  #lookEveryMs = lookMs;

  /** `version` tells whether another process committed; `heard` is called when something may be new. */
  constructor(file: string, { version, heard }: { version: () => unknown; heard: () => void }) {
    closeSync(openSync(file, 'a', 0o600));
    this.#bell = openSync(file, 'r+');
    this.#version = version;
    this.#heard = heard;
    this.#watcher = this.#watch(file);
  }

  /** Something was committed here: neighbours wake, and this process too. */
  ring(): void {
    this.#wake();
    try {
      writeSync(this.#bell, ring, 0, 1, 0);
    } catch {
      // What was committed stands, and neighbours look for themselves.
    }
  }

  /** Somebody waits now: listens, and keeps the process alive for it. */
  listen(): void {
    if (this.#looking !== undefined) return;
    this.#watcher?.ref();
    this.#looking = setInterval(() => this.#look(), this.#lookEveryMs);
  }

  /** Nobody waits any more. */
  rest(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
    this.#watcher?.unref();
  }

  close(): void {
    this.rest();
    this.#watcher?.close();
    closeSync(this.#bell);
  }

  #watch(file: string): FSWatcher | undefined {
    try {
      const watcher = watch(file, { persistent: false }, () => this.#wake());
      watcher.on('error', () => {
        this.#lookEveryMs = deafLookMs;
      });
      return watcher;
    } catch {
      // The system has no watches left, or none for this file system.
      this.#lookEveryMs = deafLookMs;
      return undefined;
    }
  }

  #look(): void {
    const version = this.#version();
    if (version !== this.#seen) this.#wake();
    this.#seen = version;
  }

  /** Several rings in one turn of the event loop are one. */
  #wake(): void {
    if (this.#pending || this.#looking === undefined) return;
    this.#pending = true;
    setImmediate(() => {
      this.#pending = false;
      if (this.#looking !== undefined) this.#heard();
    });
  }
}
