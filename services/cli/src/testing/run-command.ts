import type { Command } from 'commander';
import type { Output } from '../terminal/output.ts';

/** What a command said, and its exit status. */
interface Said {
  readonly status: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** Runs a command in this process. What it leaves as exit status is handed over, and not this process's own. */
export async function runCommand(make: (output: Output) => Command, ...args: string[]): Promise<Said> {
  const out: string[] = [];
  const err: string[] = [];
  const output: Output = {
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    paint: (_style, text) => text,
  };
  const before = process.exitCode;
  await make(output).parseAsync(args, { from: 'user' });
  const status = Number(process.exitCode ?? 0);
  process.exitCode = before;
  return { status, out, err };
}
