import { posix } from 'node:path';
import type { Module } from '../module.ts';
import { resolve } from '../resolve.ts';
import { isEntry, isOutside, isSpec, packageAt, type Rule, type Tree } from '../tree.ts';

export const noUnusedFiles: Rule = {
  promise: 'every file is an entry, or a file other than its own spec imports it',
  check: (tree) => {
    const uses = usesOf(tree);
    return tree.modules
      .filter(({ path }) => !isRoot(tree, path))
      .filter(({ path }) => !uses.some((use) => use.file === path && use.by !== specOf(path)))
      .map(({ path }) => ({
        file: path,
        sentence: 'is imported by nothing but its spec; use it or take it out',
      }));
  },
};

export const noUnusedExports: Rule = {
  promise: 'every exported name is imported by another file; names of an entry, by another package or a test',
  check: (tree) => {
    const uses = usesOf(tree);
    return tree.modules
      .filter(({ path }) => !isLoadedByTool(path))
      .flatMap((module) =>
        exportedNames(tree, module)
          .filter((name) => !uses.some((use) => isUseOf(tree, use, { file: module.path, name })))
          .map((name) => ({ file: module.path, sentence: `exports ${name}, which nothing imports` })),
      );
  },
};

/** File `by` takes a name (or all names: `*`) of `file`. */
interface Use {
  readonly by: string;
  readonly file: string;
  readonly name: string;
}

function usesOf(tree: Tree): Use[] {
  return tree.modules.flatMap((module) =>
    module.imports.flatMap(({ specifier, names }) => {
      const target = resolve(tree, module.path, specifier);
      const file = target.kind === 'file' || target.kind === 'entry' ? target.path : null;
      if (file === null) return [];
      // A side-effect import takes no name but uses the file.
      const taken = names === 'all' ? ['*'] : names.length === 0 ? [''] : names;
      return taken.map((name) => ({ by: module.path, file, name }));
    }),
  );
}

/** An entry speaks to other packages: what its own package imports from it does not count. */
function isUseOf(tree: Tree, use: Use, { file, name }: { file: string; name: string }): boolean {
  if (use.file !== file || (use.name !== name && use.name !== '*')) return false;
  return !isEntry(tree, file) || isSpec(use.by) || packageAt(tree, use.by) !== packageAt(tree, file);
}

/**
 * Stars are left out: what they pass on is judged where it is declared. So are the types of an entry: they
 * are there to be named, by whoever takes what its functions give.
 */
function exportedNames(tree: Tree, { path, exports }: Module): string[] {
  const kinds = isEntry(tree, path) ? ['name'] : ['name', 'type'];
  return exports.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
}

const specOf = (path: string): string => path.replace(/\.ts$/, '.spec.ts');

function isRoot(tree: Tree, path: string): boolean {
  if (isOutside(path) || isSpec(path) || path.endsWith('.d.ts')) return true;
  if (posix.basename(path) === 'main.ts') return true;
  return isEntry(tree, path) || packageAt(tree, path)?.bins.includes(path) === true;
}

/** The test runner and the bench runner find these by name and read what they export. */
const isLoadedByTool = (path: string): boolean =>
  path.startsWith('test/setup/') || path.endsWith('.bench.ts');
