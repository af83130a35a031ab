import type { Breach, Rule } from '../tree.ts';

/** What only makes sense on one machine; the patterns are written so that they do not match themselves. */
const TRACES: readonly (readonly [RegExp, string])[] = [
  [/\/work\//, 'names a path of one machine'],
  [
    /"resolved":\s*"http/,
    'ties the lock file to one registry; keep omit-lockfile-registry-resolved in .npmrc',
  ],
  [/\.\.\/shared/, 'points outside the project'],
];

export const portable: Rule = {
  promise: 'no file names a path or a registry of the machine it was written on',
  check: ({ texts }) =>
    [...texts].flatMap(([file, text]) =>
      TRACES.flatMap(([pattern, sentence]): Breach[] => (pattern.test(text) ? [{ file, sentence }] : [])),
    ),
};
