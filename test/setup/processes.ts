import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

/** A server process in a group of its own; it ends with the process that started it, however that one ends. */
export interface Server {
  readonly pid: number;
  readonly alive: boolean;
  /** SIGSTOP and SIGCONT: a machine that stalls and comes back. */
  pause(): void;
  resume(): void;
  /** SIGKILL: nothing is flushed. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, then SIGKILL after 10 s. Resolves when the process is gone. */
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 10_000;

/** Runs a command to its end and resolves with its output. */
export const run = promisify(execFile);

let guard: ChildProcess | undefined;

/**
 * Reads process groups line by line, and those that are gone as negative numbers, which may soon be others';
 * kills what is left at the end of its input.
 */
const GUARD = `
  while read -r group; do
    case $group in
      -*) left=; for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done; groups=$left ;;
      *) groups="$groups -$group" ;;
    esac
  done
  [ -z "$groups" ] || kill -s KILL -- $groups 2>/dev/null`;

/**
 * Tells a shell which groups to kill when this process is gone: the pipe closes when it dies, also by SIGKILL,
 * so no server outlives the tests.
 */
function guardGroup(pid: number, gone: Promise<void>): void {
  if (guard === undefined) {
    guard = spawn('/bin/sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    guard.unref();
    if (guard.stdin !== null && 'unref' in guard.stdin) (guard.stdin as unknown as { unref(): void }).unref();
  }
  const { stdin } = guard;
  stdin?.write(`${pid}\n`);
  void gone.then(() => stdin?.write(`-${pid}\n`));
}

/** Starts a server with its output in `logFile`. */
export function startServer(options: { command: string; args: readonly string[]; logFile: string }): Server {
  const log = openSync(options.logFile, 'a');
  const child = spawn(options.command, options.args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${options.command} could not be started. Is it installed?`);
  child.unref();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  guardGroup(pid, gone);
  const send = (signal: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, signal);
  };
  return {
    pid,
    get alive() {
      return child.exitCode === null && child.signalCode === null;
    },
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
    kill: async () => {
      send('SIGKILL');
      await gone;
    },
    stop: async () => {
      send('SIGCONT');
      send('SIGTERM');
      const timer = setTimeout(() => send('SIGKILL'), STOP_GRACE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** `count` TCP ports of the loopback address that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Resolves when `ready` says so; rejects with what `explain` says when the server died or time is up. */
export async function waitUntil(options: {
  ready: () => Promise<boolean>;
  alive: () => boolean;
  withinMs: number;
  explain: () => string;
}): Promise<void> {
  const deadline = Date.now() + options.withinMs;
  while (options.alive() && Date.now() < deadline) {
    if (await options.ready().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  throw new Error(options.explain());
}
