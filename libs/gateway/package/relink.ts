import { posix } from 'node:path';

/** Where the compiled entries of this project's parts lie. */
const ENTRIES: Readonly<Record<string, string>> = {
  '@loopwarden/detection': 'libs/detection/src/index.js',
  '@loopwarden/wire': 'libs/wire/src/index.js',
  '@loopwarden/schemas': 'schemas/index.js',
  '@loopwarden/stream': 'libs/stream/src/index.js',
  '@loopwarden/stream/embedded': 'libs/stream/src/embedded/index.js',
  '@loopwarden/stream/kafka': 'libs/stream/src/kafka/index.js',
};

const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2/g;

interface Relinked {
  readonly text: string;
  /** Packages from outside that the file names. */
  readonly packages: readonly string[];
}

/**
 * A compiled file in which parts of this project are imported by where they lie, and declarations name
 * JavaScript files, as compilers of others expect.
 * @param path the file's, from the directory that holds all of them
 */
export function relink(text: string, path: string): Relinked {
  const packages = new Set<string>();
  const relinked = text.replace(SPECIFIER, (...match: string[]) => {
    const [whole = '', before = '', quote = '', specifier = ''] = match;
    if (specifier.startsWith('.')) return before + quote + specifier.replace(/(?<!\.d)\.ts$/, '.js') + quote;
    const entry = ENTRIES[specifier];
    if (entry !== undefined) return before + quote + pathTo(entry, path) + quote;
    if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
    return whole;
  });
  return { text: relinked, packages: [...packages] };
}

function pathTo(entry: string, path: string): string {
  const found = posix.relative(posix.dirname(path), entry);
  return found.startsWith('.') ? found : `./${found}`;
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
