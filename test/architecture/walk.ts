import { type Node, visitorKeys } from 'oxc-parser';

/** A node with its ancestors, nearest first. */
type Visit = (node: Node, ancestors: readonly Node[]) => void;

/** Visits every node of a syntax tree, parents before children. */
export function walk(node: Node, visit: Visit, ancestors: readonly Node[] = []): void {
  visit(node, ancestors);
  const line = [node, ...ancestors];
  for (const child of children(node)) walk(child, visit, line);
}

function children(node: Node): Node[] {
  const fields = new Map(Object.entries(node));
  return (visitorKeys[node.type] ?? []).flatMap((key) => fields.get(key) ?? []).filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The name that a chain of members and calls begins with: `it` of `it.concurrent.each(…)`. */
export function rootName(node: Node): string {
  if (node.type === 'MemberExpression') return rootName(node.object);
  if (node.type === 'CallExpression') return rootName(node.callee);
  return node.type === 'Identifier' ? node.name : '';
}
