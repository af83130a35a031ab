import type { Rule } from '../tree.ts';

/** Names that say nothing of what is inside, and so only grow. */
const EMPTY = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'tools', 'types'];
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;

export const fileNames: Rule = {
  promise: 'a file name is a noun or a verb of the field, in kebab-case',
  check: ({ modules }) =>
    modules.flatMap(({ path }) => {
      const parts = path.split('/').filter((part) => !part.startsWith('.'));
      const empty = parts.flatMap((part) => part.split(/[-.]/)).find((word) => EMPTY.includes(word));
      if (empty !== undefined)
        return [{ file: path, sentence: `"${empty}" says nothing; name it after what it holds` }];
      return parts.every((part) => KEBAB.test(part))
        ? []
        : [{ file: path, sentence: 'write its name in kebab-case' }];
    }),
};
