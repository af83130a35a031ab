/** Silence after which nothing more is expected. */
const RUN_OVER_MS = 200;
/** Silence in the midst of a run, of whose end nothing may ever be heard. */
const SILENT_MS = 60_000;

interface RestOptions {
  isBusy(): boolean;
  /** Lets go of all that keeps a process alive. */
  rest(): void;
}

/**
 * Lets go of the log when nothing happens any more: an open connection would keep a process alive that runs one turn
 * and wants to end. An OpenClaw gateway stays, and so does its connection.
 */
export class Rest {
  readonly #options: RestOptions;
  #timer: NodeJS.Timeout | null = null;
  #stays = false;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** The process serves until it is stopped. */
  stay(): void {
    this.#stays = true;
    this.#callOff();
  }

  /** Something happened. */
  stir(): void {
    this.#callOff();
    if (this.#stays) return;
    this.#timer = setTimeout(() => this.#options.rest(), this.#options.isBusy() ? SILENT_MS : RUN_OVER_MS);
    this.#timer.unref();
  }

  #callOff(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
