import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

/** What git ignores, and git itself. */
const IGNORED = ['node_modules', 'dist', '.git', '.nx', '.cache', 'coverage', 'data'];
/** Kinds of file that are not text. */
const BINARY = [
  '.avro',
  '.bin',
  '.gif',
  '.gz',
  '.ico',
  '.jpg',
  '.png',
  '.webp',
  '.woff2',
  '.log',
  '.tsbuildinfo',
];

/** Reads the texts of a project: path from the root to content. */
export function readProject(root: string): Record<string, string> {
  const paths = [...textsBelow(root)].sort();
  return Object.fromEntries(paths.map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
}

function* textsBelow(dir: string): Generator<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory() && !IGNORED.includes(entry.name)) yield* textsBelow(path);
    if (entry.isFile() && !BINARY.includes(extname(entry.name))) yield path;
  }
}
