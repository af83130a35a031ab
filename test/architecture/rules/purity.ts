import type { Node } from 'oxc-parser';
import type { Module } from '../module.ts';
import { isSpec, type Rule } from '../tree.ts';
import { walk } from '../walk.ts';

const CORE = 'libs/detection/';

const WORLD = new Set([
  ...['Date', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
  ...['process', 'console', 'globalThis', 'crypto', 'fetch', 'require', 'Promise', 'Buffer'],
]);

const BANNED: Readonly<Record<string, string>> = {
  AwaitExpression: 'awaits',
  ClassDeclaration: 'declares a class',
  ClassExpression: 'declares a class',
  ImportExpression: 'imports at run time',
};

export const pureCore: Rule = {
  promise: 'libs/detection knows no clock, chance, timer, process, promise or class',
  check: ({ modules }) =>
    modules
      .filter(({ path }) => path.startsWith(CORE) && !isSpec(path))
      .flatMap((module) =>
        impurities(module).map((what) => ({ file: module.path, sentence: `${what}; the core is pure` })),
      ),
};

function impurities(module: Module): string[] {
  const found = new Set<string>();
  walk(module.program, (node, ancestors) => {
    const banned = BANNED[node.type];
    if (banned !== undefined) found.add(banned);
    if ('async' in node && node.async === true) found.add('declares an async function');
    if (node.type === 'MemberExpression' && isRandom(node)) found.add('uses Math.random');
    if (node.type === 'Identifier' && WORLD.has(node.name) && isReference(node, ancestors[0])) {
      found.add(`uses ${node.name}`);
    }
  });
  return [...found];
}

function isRandom({ object, property }: Node & { type: 'MemberExpression' }): boolean {
  return (
    object.type === 'Identifier' && object.name === 'Math' && 'name' in property && property.name === 'random'
  );
}

/** A name in the place of a value or a type; not the key of a field that happens to be called so. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined) return true;
  if (parent.type === 'MemberExpression') return parent.computed || parent.object === node;
  const keyed = 'key' in parent && parent.key === node && 'computed' in parent && !parent.computed;
  return !keyed || ('shorthand' in parent && parent.shorthand === true);
}
