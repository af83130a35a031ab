import { resolve } from '../resolve.ts';
import type { Package, Rule, Tree } from '../tree.ts';

export const listedAndUsed: Rule = {
  promise: 'a dependency is pinned exactly and used by the package that lists it',
  check: (tree) =>
    tree.packages.flatMap((home) =>
      Object.entries(home.dependencies).flatMap(([name, version]) => {
        const file = `${home.dir}/package.json`;
        if (!/^\d+\.\d+\.\d+$/.test(version))
          return [{ file, sentence: `pin ${name} to one version, not ${version}` }];
        if (uses(tree, home, name)) return [];
        return [{ file, sentence: `lists ${name}, which none of its files names; take it out` }];
      }),
    ),
};

/** Named as an import, or as a text: some packages are loaded by name (a logger's transport). */
function uses(tree: Tree, home: Package, name: string): boolean {
  return tree.modules
    .filter(({ path }) => path.startsWith(`${home.dir}/`))
    .some(({ path, text, imports }) => {
      if (text.includes(`'${name}'`)) return true;
      return imports.some(({ specifier }) => {
        const target = resolve(tree, path, specifier);
        if (target.kind === 'npm') return target.name === name;
        return target.kind === 'entry' && target.package.name === name;
      });
    });
}
