import type { Function as FunctionNode, Node } from 'oxc-parser';
import type { Module } from '../module.ts';
import { type Breach, isSpec, type Rule } from '../tree.ts';
import { rootName, walk } from '../walk.ts';

const FILE_LINES = 300;
const SPEC_LINES = 400;
const FUNCTION_LINES = 60;
const PARAMETERS = 3;

export const fileSizes: Rule = {
  promise: `a file has at most ${FILE_LINES} lines, a spec ${SPEC_LINES}`,
  check: ({ modules }) =>
    modules.flatMap(({ path, text }) => {
      const lines = linesOf(text.trimEnd());
      const most = isSpec(path) ? SPEC_LINES : FILE_LINES;
      return lines <= most
        ? []
        : [{ file: path, sentence: `has ${lines} lines of at most ${most}; split it by word` }];
    }),
};

export const functionSizes: Rule = {
  promise: `a function has at most ${FUNCTION_LINES} lines`,
  check: ({ modules }) =>
    modules.flatMap((module) =>
      eachFunction(module, (found, ancestors) => {
        const lines = linesOf(module.text.slice(found.start, found.end));
        if (lines <= FUNCTION_LINES || groupsSpecs(found, ancestors)) return null;
        return `${nameOf(found, ancestors)} has ${lines} lines of at most ${FUNCTION_LINES}; give its steps names`;
      }),
    ),
};

export const parameterCounts: Rule = {
  promise: `a function has at most ${PARAMETERS} parameters, then an object`,
  check: ({ modules }) =>
    modules.flatMap((module) =>
      eachFunction(module, (found, ancestors) => {
        const count = found.params.length;
        if (count <= PARAMETERS || isTableSpec(ancestors)) return null;
        return `${nameOf(found, ancestors)} has ${count} parameters of at most ${PARAMETERS}; take an object`;
      }),
    ),
};

type Found = Extract<Node, FunctionNode | { type: 'ArrowFunctionExpression' }>;
type Judge = (found: Found, ancestors: readonly Node[]) => string | null;

function eachFunction(module: Module, judge: Judge): Breach[] {
  const breaches: Breach[] = [];
  walk(module.program, (node, ancestors) => {
    if (!isFunction(node)) return;
    const sentence = judge(node, ancestors);
    if (sentence !== null) breaches.push({ file: module.path, sentence });
  });
  return breaches;
}

function isFunction(node: Node): node is Found {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

const linesOf = (text: string): number => text.split('\n').length;

/** What stands in `describe`, or holds one, is a table of contents: its parts are measured, not the whole. */
function groupsSpecs(found: Found, [parent]: readonly Node[]): boolean {
  if (parent !== undefined && isDescribe(parent)) return true;
  const body = found.body?.type === 'BlockStatement' ? found.body.body : [];
  return body.some(
    (statement) => statement.type === 'ExpressionStatement' && isDescribe(statement.expression),
  );
}

/** The body of `it.each`: the rows of its table say how many parameters it has. */
function isTableSpec([parent]: readonly Node[]): boolean {
  return parent?.type === 'CallExpression' && ['describe', 'it', 'test'].includes(rootName(parent));
}

function isDescribe(node: Node): boolean {
  return node.type === 'CallExpression' && rootName(node) === 'describe';
}

function nameOf(found: Found, [parent]: readonly Node[]): string {
  if (found.type !== 'ArrowFunctionExpression' && found.id) return found.id.name;
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  const keyed =
    parent?.type === 'MethodDefinition' ||
    parent?.type === 'Property' ||
    parent?.type === 'PropertyDefinition';
  return keyed && parent.key.type === 'Identifier' ? parent.key.name : 'a function without a name';
}
