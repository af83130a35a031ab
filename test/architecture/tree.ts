import { type Module, moduleOf } from './module.ts';

/** Where a file breaks a rule, and how: `file: sentence`. */
export interface Breach {
  readonly file: string;
  readonly sentence: string;
}

/** A promise that every file keeps, and the check behind it. */
export interface Rule {
  readonly promise: string;
  check(tree: Tree): readonly Breach[];
}

export interface Package {
  readonly name: string;
  /** Directory from the root, without a slash at its end. */
  readonly dir: string;
  /** Subpath (`.`, `./memory`) to file from the root. */
  readonly entries: ReadonlyMap<string, string>;
  readonly bins: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

/** A project as its texts: the real one, or a planted one in a spec. */
export interface Tree {
  readonly texts: ReadonlyMap<string, string>;
  readonly modules: readonly Module[];
  readonly packages: readonly Package[];
}

const SOURCE = /^(?:libs|services|schemas|test)\/.*\.(?:ts|js)$|^[^/]+\.ts$|^\.ci\/.*\.ts$/;
const PACKAGE = /^(?:libs\/[^/]+|services\/[^/]+|schemas)\/package\.json$/;

/** Builds the tree of a project from its files: path from the root to text. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const texts = new Map(Object.entries(files));
  const paths = [...texts.keys()].sort();
  const text = (path: string): string => texts.get(path) ?? '';
  return {
    texts,
    modules: paths.filter((path) => SOURCE.test(path)).map((path) => moduleOf(path, text(path))),
    packages: paths.filter((path) => PACKAGE.test(path)).map((path) => packageOf(path, text(path))),
  };
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function packageOf(path: string, text: string): Package {
  const manifest = JSON.parse(text) as Manifest;
  const dir = path.slice(0, -'/package.json'.length);
  const fromRoot = (file: string): string => `${dir}/${file.replace(/^\.\//, '')}`;
  return {
    name: manifest.name,
    dir,
    entries: new Map(Object.entries(manifest.exports ?? {}).map(([sub, file]) => [sub, fromRoot(file)])),
    bins: Object.values(manifest.bin ?? {}).map(fromRoot),
    dependencies: manifest.dependencies ?? {},
  };
}

/** The package that a file belongs to; undefined for `test/` and the root. */
export function packageAt(tree: Tree, path: string): Package | undefined {
  return tree.packages.find(({ dir }) => path.startsWith(`${dir}/`));
}

/** A file that `exports` of its package.json names. */
export function isEntry(tree: Tree, path: string): boolean {
  return [...(packageAt(tree, path)?.entries.values() ?? [])].includes(path);
}

export const isSpec = (path: string): boolean => path.endsWith('.spec.ts');
/** A spec that may need a broker, a disk or processes. */
export const isHeavySpec = (path: string): boolean => /\.(?:int|e2e)\.spec\.ts$/.test(path);
/** The directory `test/` and the files at the root: they belong to no package and ship in nothing. */
export const isOutside = (path: string): boolean => !/^(?:libs|services|schemas)\//.test(path);
