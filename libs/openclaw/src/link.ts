import { connect, type Gateway, GatewayError, type Observer } from '@loopwarden/gateway';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { openKafka } from '@loopwarden/gateway/kafka';
import { Patience } from './calmly.ts';
import type { HostLogger } from './host.ts';
import type { LogPlace, Settings } from './settings.ts';

/** Something to tell the log once it can be reached. */
type Task = (gateway: Gateway) => Promise<void> | void;

/** Connects a gateway; rejects while the log cannot be reached. */
export type Connect = (settings: Settings, observer: Observer) => Promise<Gateway>;

interface LinkOptions {
  readonly settings: Settings;
  readonly logger: HostLogger;
  readonly observer: Observer;
  readonly connect: Connect;
}

interface Opened {
  readonly up: PromiseWithResolvers<void>;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** Calls and results kept until the log is first reached; from then on the gateway keeps what it cannot send. */
const MAX_TASKS = 1_000;
/** How often it is said again that nothing is guarded. */
const REMIND_MS = 300_000;
/** For a gateway that came up after it was wanted. */
const LATE_CLOSE_MS = 1_000;

/**
 * The way to the log. It is opened in the background and tried again for as long as it cannot be: OpenClaw
 * starts and works without it. Closed, it can be opened again.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #patience = new Patience();
  #gateway: Gateway | null = null;
  #tasks: Task[] = [];
  #dropped = 0;
  /** Of what was opened last; null: closed. */
  #opened: Opened | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** The gateway; null: there is none yet, or what was kept for it is still being told. */
  get gateway(): Gateway | null {
    return this.#gateway;
  }

  /** Begins to connect, unless that has begun. */
  open(): void {
    if (this.#opened !== null) return;
    this.#opened = { up: Promise.withResolvers() };
    void this.#connect(this.#opened);
  }

  /** The gateway, waited for at most so many milliseconds. */
  async within(milliseconds: number): Promise<Gateway | null> {
    if (this.#gateway !== null || this.#opened === null || milliseconds <= 0) return this.#gateway;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    await Promise.race([this.#opened.up.promise, over]);
    clearTimeout(timer);
    return this.#gateway;
  }

  /** Does something with the gateway: now, or in its turn once there is one. */
  tell(task: Task): void {
    if (this.#gateway !== null) {
      void this.#attempt(task, this.#gateway);
      return;
    }
    this.#tasks.push(task);
    if (this.#tasks.length <= MAX_TASKS) return;
    this.#tasks.shift();
    this.#dropped += 1;
  }

  /** Sends what is held, for at most so many milliseconds. */
  async close(withinMs: number): Promise<void> {
    const gateway = this.#gateway;
    this.#opened = null;
    this.#gateway = null;
    if (gateway !== null) await this.#attempt(() => gateway.close({ withinMs }), gateway);
  }

  /** What cannot be told, such as what OpenClaw says of a run without a good name, takes nothing else with it. */
  async #attempt(task: Task, gateway: Gateway): Promise<void> {
    try {
      await task(gateway);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#patience.now('attempt', (more) =>
        this.#options.logger.warn(`Loopwarden left something out${more}: ${reason}`),
      );
    }
  }

  async #connect(opened: Opened): Promise<void> {
    const { settings, logger, observer, connect: connectTo } = this.#options;
    let toldAt: number | null = null;
    for (let pauseMs = FIRST_PAUSE_MS; opened === this.#opened; pauseMs = longer(pauseMs)) {
      try {
        await this.#use(opened, await connectTo(settings, observer));
        if (toldAt !== null) logger.info('Loopwarden has reached the log, and guards from here on.');
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (error instanceof GatewayError && error.code === 'bad_option') {
          logger.error(`Loopwarden guards nothing: ${reason} Correct plugins.entries.loopwarden.config.`);
          return;
        }
        const now = performance.now();
        if (toldAt === null || now - toldAt >= REMIND_MS) {
          logger.warn(`Loopwarden guards nothing yet, and goes on trying: ${reason}`);
          toldAt = now;
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    }
  }

  /** Tells what was kept, in order, before anything new is told. */
  async #use(opened: Opened, gateway: Gateway): Promise<void> {
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      await this.#attempt(task, gateway);
    }
    if (opened !== this.#opened) return gateway.close({ withinMs: LATE_CLOSE_MS });
    this.#gateway = gateway;
    opened.up.resolve();
    if (this.#dropped === 0) return;
    this.#options.logger.warn(`Loopwarden lost ${this.#dropped} calls and results while there was no log.`);
    this.#dropped = 0;
  }
}

const longer = (pauseMs: number): number => Math.min(pauseMs * 2, LONGEST_PAUSE_MS);

/** Connects to the log that the settings name. */
export async function connectToLog({ log: place, gateway }: Settings, observer: Observer): Promise<Gateway> {
  const log = await openPlace(place, gateway.prefix);
  try {
    return await connect({ ...gateway, log, observer });
  } catch (error) {
    await log.log.close();
    throw error;
  }
}

function openPlace(place: LogPlace, prefix: string | undefined) {
  if ('dir' in place) return openEmbedded(place);
  return openKafka({
    clientId: 'loopwarden-openclaw',
    ...place,
    ...(prefix === undefined ? {} : { prefix }),
  });
}
