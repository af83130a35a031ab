import type { Logger } from './logger.ts';

/** The part of `process` that a lifecycle needs, so that tests can send signals to nobody. */
export interface ProcessLike {
  on(event: string, listener: (...facts: readonly unknown[]) => void): unknown;
  off(event: string, listener: (...facts: readonly unknown[]) => void): unknown;
  exit(code: number): void;
}

interface LifecycleOptions {
  readonly process: ProcessLike;
  readonly log: Logger;
  /** Longest time for all closings together, milliseconds. */
  readonly deadlineMs: number;
}

/** How a process starts, stops and ends. */
export interface Lifecycle {
  /** Aborts when the process begins to stop: loops and waits end. */
  readonly signal: AbortSignal;
  /** Called as soon as something was started. When stopping, what was started last is closed first. */
  closing(name: string, close: () => Promise<void> | void): void;
  /** Stops without a signal: a command is done. Resolves with the exit code, after `exit` was called with it. */
  stop(reason: string): Promise<number>;
  /** Stops because something cannot go on; the exit code is 1. */
  fail(reason: string, error: unknown): Promise<number>;
}

/** Exit codes: all closed; something failed or did not close in time; a second signal adds its number to 128. */
const EXIT = { done: 0, failed: 1, killed: 128 } as const;

const SIGNALS = [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const;

const CRASHES = ['uncaughtException', 'unhandledRejection'] as const;

interface Closing {
  readonly name: string;
  readonly close: () => Promise<void> | void;
}

/**
 * Takes over the process's signals and uncaught errors. The first signal stops in reverse order of start, with
 * a deadline; the second exits at once. An uncaught error means a state that nobody foresaw: it is logged, and
 * the process ends without closing anything, which no verdict is lost by.
 */
export function createLifecycle({ process, log, deadlineMs }: LifecycleOptions): Lifecycle {
  const controller = new AbortController();
  const stack: Closing[] = [];
  let stopping: Promise<number> | null = null;
  let failed = false;

  const stop = (reason: string): Promise<number> => {
    if (stopping !== null) return stopping;
    log.info('Stopping.', { reason });
    controller.abort();
    stopping = closeWithin(stack, log, deadlineMs).then((clean) => {
      const code = clean && !failed ? EXIT.done : EXIT.failed;
      release();
      process.exit(code);
      return code;
    });
    return stopping;
  };

  const fail = (reason: string, error: unknown): Promise<number> => {
    failed = true;
    log.error(reason, { error });
    return stop(reason);
  };

  const release = listen(process, {
    signal: (name, number) => {
      if (stopping === null) return void stop(name);
      log.warn('Second signal: leaving at once.', { signal: name });
      process.exit(EXIT.killed + number);
    },
    crash: (name, error) => {
      log.error('Uncaught error: the process ends.', { event: name, error });
      process.exit(EXIT.failed);
    },
  });

  return {
    signal: controller.signal,
    closing: (name, close) => void stack.push({ name, close }),
    stop,
    fail,
  };
}

interface Handlers {
  readonly signal: (name: string, number: number) => void;
  readonly crash: (name: string, error: unknown) => void;
}

/** Subscribes to signals and uncaught errors; returns how to let go of them. */
function listen(process: ProcessLike, handlers: Handlers): () => void {
  const listeners = [
    ...SIGNALS.map(([name, number]) => [name, () => handlers.signal(name, number)] as const),
    ...CRASHES.map((name) => [name, (error: unknown) => handlers.crash(name, error)] as const),
  ];
  for (const [name, listener] of listeners) process.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) process.off(name, listener);
  };
}

/** Closes until the stack is empty (closings may still be added); false when one failed or time ran out. */
async function closeWithin(stack: Closing[], log: Logger, deadlineMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  let closing = '';
  const timer = setTimeout(() => {
    log.error('Not closed in time.', { component: closing, waiting: stack.map(({ name }) => name) });
    late.resolve(false);
  }, deadlineMs);
  const all = async (): Promise<boolean> => {
    let clean = true;
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      closing = next.name;
      clean = (await closeOne(next, log)) && clean;
    }
    return clean;
  };
  const clean = await Promise.race([all(), late.promise]);
  clearTimeout(timer);
  return clean;
}

async function closeOne({ name, close }: Closing, log: Logger): Promise<boolean> {
  try {
    await close();
    return true;
  } catch (error) {
    log.error('Closing failed; the rest is closed all the same.', { component: name, error });
    return false;
  }
}
