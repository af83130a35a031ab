import { createReadStream, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../terminal/printable.ts';
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
  /** Paths of symbolic links in a folder: they are not followed, for they may lead in circles or out of it. */
  readonly links: readonly string[];
}

/** Stands for standard input. */
export const STANDARD_INPUT = '-';

/** The files at a path: one file, the files of a folder and its folders by name, or standard input. */
export async function listInputs(path: string): Promise<Outcome<InputList>> {
  if (path === STANDARD_INPUT) return succeed({ inputs: [standardInput()], links: [] });
  const found = await stat(path).catch(() => null);
  if (found === null) return refuse('path_not_found', `There is no file or folder at "${path}".`);
  if (!found.isDirectory()) return succeed({ inputs: [fileInput(path, found.size)], links: [] });
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith('.'));
  const files = pathsOf(shown.filter((entry) => entry.isFile()));
  const links = pathsOf(shown.filter((entry) => entry.isSymbolicLink()));
  if (files.length > 0) return succeed({ inputs: await Promise.all(files.map(sized)), links });
  const besides =
    links.length === 0 ? '' : `, only ${counted(links.length, 'symbolic link')}, which are not followed`;
  return refuse('folder_empty', `There are no files in "${path}"${besides}.`);
}

function pathsOf(entries: readonly Dirent[]): string[] {
  return entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** A file that is read on while it grows, until the signal aborts. */
export async function followInput(path: string, signal: AbortSignal): Promise<Outcome<InputList>> {
  if (path === STANDARD_INPUT) return listInputs(path);
  const found = await stat(path).catch(() => null);
  if (found === null) return refuse('path_not_found', `There is no file at "${path}" to follow.`);
  if (!found.isFile()) return refuse('follow_needs_file', `--follow takes one file; "${path}" is none.`);
  return succeed({
    inputs: [{ path, bytes: null, open: () => followFile(path, signal) }],
    links: [],
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
