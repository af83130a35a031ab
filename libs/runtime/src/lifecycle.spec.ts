import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLifecycle, type ProcessLike } from './lifecycle.ts';
import type { Logger } from './logger.ts';

/** A process that nobody kills: signals are emitted by hand, exits are noted. */
class StageProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

function recordingLogger(lines: string[]): Logger {
  const line =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Logger = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: () => log,
  };
  return log;
}

function stage() {
  const process = new StageProcess();
  const lines: string[] = [];
  const lifecycle = createLifecycle({ process, log: recordingLogger(lines), deadlineMs: 1000 });
  const closed: string[] = [];
  const opened = (name: string, close: () => Promise<void> | void = () => void closed.push(name)) =>
    lifecycle.closing(name, close);
  return { process, lines, lifecycle, closed, opened };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = () => vi.advanceTimersByTimeAsync(0);

it('takes the real process', () => {
  const real: ProcessLike = process;
  expect(real).toBe(process);
});

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])(
    '%s closes in reverse order of start and exits with 0',
    async (name) => {
      const { process, lifecycle, closed, opened } = stage();
      for (const part of ['log', 'group', 'http']) opened(part);
      expect(lifecycle.signal.aborted).toBe(false);
      process.emit(name);
      expect(lifecycle.signal.aborted).toBe(true);
      await settle();
      expect(closed).toEqual(['http', 'group', 'log']);
      expect(process.exits).toEqual([0]);
    },
  );

  it('closes one after the other, not side by side', async () => {
    const { process, closed, opened } = stage();
    const gate = Promise.withResolvers<void>();
    opened('log');
    opened('group', () => gate.promise);
    process.emit('SIGTERM');
    await settle();
    expect(closed).toEqual([]);
    gate.resolve();
    await settle();
    expect(closed).toEqual(['log']);
  });

  it('twice exits at once, with the number of the signal', async () => {
    const { process, opened } = stage();
    opened('stuck', () => new Promise(() => {}));
    process.emit('SIGTERM');
    process.emit('SIGINT');
    expect(process.exits).toEqual([130]);
  });

  it('gives up at the deadline, says what hung, and exits with 1', async () => {
    const { process, lines, opened } = stage();
    opened('log');
    opened('stuck', () => new Promise(() => {}));
    process.emit('SIGTERM');
    await vi.advanceTimersByTimeAsync(999);
    expect(process.exits).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(process.exits).toEqual([1]);
    expect(lines.join()).toContain('"component":"stuck","waiting":["log"]');
  });

  it('closes also what was started meanwhile', async () => {
    const { process, closed, opened } = stage();
    opened('first', async () => opened('late'));
    process.emit('SIGTERM');
    await settle();
    expect(closed).toEqual(['late']);
  });
});

describe('failures', () => {
  it('one closing fails: the others are closed all the same, exit code 1', async () => {
    const { process, lines, closed, opened } = stage();
    opened('log');
    opened('group', () => Promise.reject(new Error('boom')));
    opened('http', () => {
      throw new Error('boom');
    });
    process.emit('SIGTERM');
    await settle();
    expect(closed).toEqual(['log']);
    expect(process.exits).toEqual([1]);
    expect(lines.filter((line) => line.startsWith('error'))).toHaveLength(2);
  });

  it.each(['uncaughtException', 'unhandledRejection'])(
    '%s is logged and ends the process without closing',
    (name) => {
      const { process, lines, closed, opened } = stage();
      opened('log');
      process.emit(name, new Error('boom'));
      expect(process.exits).toEqual([1]);
      expect(lines.join()).toContain(name);
      expect(closed).toEqual([]);
    },
  );

  it('a part that cannot go on stops the process in order, exit code 1', async () => {
    const { lifecycle, process, closed, opened } = stage();
    opened('log');
    await expect(lifecycle.fail('The log is full.', new Error('disk'))).resolves.toBe(1);
    expect(closed).toEqual(['log']);
    expect(process.exits).toEqual([1]);
  });

  it('a failure while stopping changes the exit code and stops nothing twice', async () => {
    const { lifecycle, process, closed, opened } = stage();
    opened('log');
    const stopping = lifecycle.stop('done');
    await lifecycle.fail('Too late.', new Error('boom'));
    expect(await stopping).toBe(1);
    expect(closed).toEqual(['log']);
    expect(process.exits).toEqual([1]);
  });
});

it('lets go of the process once stopped', async () => {
  const { lifecycle, process } = stage();
  expect(await lifecycle.stop('done')).toBe(0);
  expect(process.eventNames()).toEqual([]);
});
