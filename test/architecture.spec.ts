import { expect, it } from 'vitest';
import { readProject } from './architecture/project.ts';
import { RULES } from './architecture/rules.ts';
import { treeOf } from './architecture/tree.ts';

const tree = treeOf(readProject(new URL('..', import.meta.url).pathname));

it.each(RULES)('$promise', ({ check }) => {
  const breaches = check(tree).map(({ file, sentence }) => `${file}: ${sentence}`);
  if (breaches.length > 0) expect.fail(`\n${breaches.join('\n')}\n`);
});
