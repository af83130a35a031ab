import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process whose program is a folder here, by the lines that it writes. */
interface Child {
  readonly lines: readonly string[];
  /** Resolves once a line begins with the text; rejects when the process ends before. */
  says(text: string): Promise<string>;
  /** Kills as `kill -9` does, and resolves when every line has arrived. */
  kill(): Promise<void>;
}

export function startChild(program: string, args: readonly string[]): Child {
  const main = new URL(`${program}/main.ts`, import.meta.url).pathname;
  const process_ = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const ended = new Promise<void>((resolve) => process_.once('close', () => resolve()));
  createInterface({ input: process_.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  return {
    lines,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((candidate) => candidate.startsWith(text));
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`${program} ended without saying ${text}`)));
      }),
    kill: () => killed(process_, ended),
  };
}

function killed(process_: ChildProcess, ended: Promise<void>): Promise<void> {
  process_.kill('SIGKILL');
  return ended;
}
