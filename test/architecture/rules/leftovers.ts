import type { Node } from 'oxc-parser';
import type { Module } from '../module.ts';
import { type Breach, isHeavySpec, type Rule } from '../tree.ts';
import { rootName, walk } from '../walk.ts';

export const noAny: Rule = {
  promise: 'nothing has the type any',
  check: ({ modules }) =>
    modules.flatMap((module) =>
      collect(module, (node) => (node.type === 'TSAnyKeyword' ? 'uses any; say the type, or unknown' : null)),
    ),
};

export const everySpecRuns: Rule = {
  promise: 'no spec is focused, skipped or put off',
  check: ({ modules }) => modules.flatMap((module) => collect(module, (node) => heldBack(node, module.path))),
};

export const nothingLeftToFix: Rule = {
  promise: 'no comment says that the code must be fixed',
  check: ({ modules }) =>
    modules
      .filter(({ comments }) => comments.some((comment) => /\bFIXME\b/.test(comment)))
      .map(({ path }) => ({ file: path, sentence: 'has a FIXME; fix it' })),
};

const GROUPS = ['describe', 'it', 'test', 'suite'];
const HELD_BACK = ['only', 'skip', 'todo', 'fails'];
/** Fine where a machine may lack what the tier needs. */
const BY_MACHINE = ['skipIf', 'runIf'];

function heldBack(node: Node, path: string): string | null {
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return null;
  const { name } = node.property;
  const banned = HELD_BACK.includes(name) || (BY_MACHINE.includes(name) && !isHeavySpec(path));
  if (!banned || !GROUPS.includes(rootName(node.object))) return null;
  return `has ${rootName(node.object)}.${name}; let every spec run`;
}

function collect(module: Module, judge: (node: Node) => string | null): Breach[] {
  const breaches: Breach[] = [];
  walk(module.program, (node) => {
    const sentence = judge(node);
    if (sentence !== null) breaches.push({ file: module.path, sentence });
  });
  return breaches;
}
