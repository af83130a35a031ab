import { posix } from 'node:path';
import type { Package, Tree } from './tree.ts';

/** Where a specifier points: a file of the tree, the platform, or a package from outside. */
export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'entry';
      readonly package: Package;
      readonly subpath: string;
      readonly path: string | null;
    }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'npm'; readonly name: string };

/** Resolves a specifier as Node would, without touching a disk. `from` is the path of the importing file. */
export function resolve(tree: Tree, from: string, specifier: string): Target {
  if (specifier.startsWith('.')) {
    return { kind: 'file', path: posix.normalize(posix.join(posix.dirname(from), specifier)) };
  }
  if (specifier.startsWith('node:')) return { kind: 'node', name: specifier.slice('node:'.length) };
  const parts = specifier.split('/');
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const own = tree.packages.find((candidate) => candidate.name === name);
  if (own === undefined) return { kind: 'npm', name };
  const subpath = ['.', ...parts.slice(name.split('/').length)].join('/');
  return { kind: 'entry', package: own, subpath, path: own.entries.get(subpath) ?? null };
}
