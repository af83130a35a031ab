import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { followFile } from './follow.ts';

/** Bytes to read, opened when their turn comes. */
export interface Input {
  /** For people. */
  readonly path: string;
  /** Null: not known before the end. */
  readonly bytes: number | null;
  readonly open: () => AsyncIterable<Uint8Array>;
}

export interface InputList {
  readonly inputs: readonly Input[];
  /** A folder may hold files that are no transcripts. */
  readonly folder: boolean;
}

/** Stands for standard input. */
export const STANDARD_INPUT = '-';

/** The files at a path: one file, the files of a folder and its folders by name, or standard input. */
export async function listInputs(path: string): Promise<Outcome<InputList>> {
  if (path === STANDARD_INPUT) return succeed({ inputs: [standardInput()], folder: false });
  const found = await stat(path).catch(() => null);
  if (found === null) return refuse('path_not_found', `There is no file or folder at "${path}".`);
  if (!found.isDirectory()) return succeed({ inputs: [fileInput(path, found.size)], folder: false });
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) return refuse('folder_empty', `There are no files in "${path}".`);
  return succeed({ inputs: await Promise.all(files.map(sized)), folder: true });
}

/** A file that is read on while it grows, until the signal aborts. */
export async function followInput(path: string, signal: AbortSignal): Promise<Outcome<InputList>> {
  if (path === STANDARD_INPUT) return listInputs(path);
  const found = await stat(path).catch(() => null);
  if (found === null) return refuse('path_not_found', `There is no file at "${path}" to follow.`);
  if (!found.isFile()) return refuse('follow_needs_file', `--follow takes one file; "${path}" is none.`);
  return succeed({
    inputs: [{ path, bytes: null, open: () => followFile(path, signal) }],
    folder: false,
  });
}

async function sized(path: string): Promise<Input> {
  return fileInput(path, (await stat(path)).size);
}

function fileInput(path: string, bytes: number): Input {
  return { path, bytes, open: () => createReadStream(path) };
}

function standardInput(): Input {
  return { path: 'standard input', bytes: null, open: () => process.stdin };
}
