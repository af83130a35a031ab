import { posix } from 'node:path';
import type { Module } from '../module.ts';
import { isEntry, type Rule } from '../tree.ts';

/** Files that a tool loads by their default export. */
const TOOL_ENTRIES = ['vitest.config.ts'];

export const indexAtRoots: Rule = {
  promise: 'index.ts stands only at the entries that package.json names',
  check: (tree) =>
    tree.modules
      .filter(({ path }) => posix.basename(path) === 'index.ts' && !isEntry(tree, path))
      .map(({ path }) => ({
        file: path,
        sentence: 'is no entry of a package; name the file after what it holds',
      })),
};

export const noBarrels: Rule = {
  promise: 'only entries pass names on',
  check: (tree) =>
    tree.modules
      .filter(({ path }) => !isEntry(tree, path))
      .flatMap((module) =>
        passedOn(module).map(({ name, from }) => ({
          file: module.path,
          sentence: `passes on ${name} of ${from}; import it where it is declared`,
        })),
      ),
};

export const explicitNames: Rule = {
  promise: 'what is exported is named one by one; only types may come as a star',
  check: ({ modules }) =>
    modules.flatMap(({ path, exports }) =>
      exports
        .filter(({ kind }) => kind === 'star')
        .map(({ from }) => ({ file: path, sentence: `exports everything of ${from}; list the names` })),
    ),
};

export const namedExports: Rule = {
  promise: 'exports have names',
  check: ({ modules }) =>
    modules
      .filter(
        ({ path, exports }) => !TOOL_ENTRIES.includes(path) && exports.some(({ kind }) => kind === 'default'),
      )
      .map(({ path }) => ({ file: path, sentence: 'has a default export; give it its name' })),
};

const passedOn = (module: Module) => module.exports.filter(({ from }) => from !== null);
