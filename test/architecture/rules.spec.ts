import { describe, expect, it } from 'vitest';
import { RULES } from './rules.ts';
import { SAMPLE_PROJECT } from './sample-project.ts';
import { treeOf } from './tree.ts';

type Files = Readonly<Record<string, string>>;

/** Files planted in the sample project, and the breaches they make: all of them, of any rule. */
interface Planted {
  readonly what: string;
  readonly files: Files;
  readonly breaches: readonly string[];
}

const CORE = 'libs/detection/src/window.ts';
const MAIN = 'services/detector/src/main.ts';

const lines = (count: number): string => Array.from({ length: count }, () => '0;').join('\n');
const after = (path: string, text: string): Files => ({ [path]: `${SAMPLE_PROJECT[path]}\n${text}` });

function breachesIn(files: Files): string[] {
  const tree = treeOf({ ...SAMPLE_PROJECT, ...files });
  return RULES.flatMap(({ check }) => check(tree)).map(({ file, sentence }) => `${file}: ${sentence}`);
}

const IMPORTS: readonly Planted[] = [
  {
    what: 'the core imports the platform',
    files: after(CORE, `import 'node:crypto';`),
    breaches: [`${CORE}: imports node:crypto; the import table grants nothing`],
  },
  {
    what: 'the core imports another part, which it does list',
    files: {
      ...after(CORE, `import type { fold } from '@loopwarden/stream';`),
      'libs/detection/package.json': JSON.stringify({
        name: '@loopwarden/detection',
        exports: { '.': './src/index.ts' },
        dependencies: { '@loopwarden/stream': '0.1.0' },
      }),
    },
    breaches: [`${CORE}: imports @loopwarden/stream; the import table grants nothing`],
  },
  {
    what: 'a package imports what it does not list',
    files: after(MAIN, `import { pino } from 'pino';`),
    breaches: [`${MAIN}: imports pino, which its package.json does not list`],
  },
  {
    what: 'a test tool slips into a source',
    files: after(MAIN, `import { expect } from 'vitest';`),
    breaches: [`${MAIN}: imports vitest, which its package.json does not list`],
  },
  {
    what: 'a service imports another',
    files: {
      'services/audit/package.json': JSON.stringify({
        name: '@loopwarden/audit',
        dependencies: { '@loopwarden/detector': '0.1.0' },
      }),
      'services/audit/src/main.ts': `import { start } from '@loopwarden/detector';\nstart();`,
    },
    breaches: [
      'services/audit/src/main.ts: imports @loopwarden/detector; the import table grants @loopwarden/wire, @loopwarden/stream, @loopwarden/runtime',
    ],
  },
  {
    what: 'a name inside a package that is no entry',
    files: after(MAIN, `import { fold } from '@loopwarden/stream/fold';`),
    breaches: [`${MAIN}: imports ./fold of @loopwarden/stream, which is no entry of its package.json`],
  },
  {
    what: 'the Kafka client outside its driver',
    files: after('libs/stream/src/fold.ts', `import 'kafkajs';`),
    breaches: ['libs/stream/src/fold.ts: imports kafkajs, which belongs to libs/stream/src/kafka/'],
  },
  {
    what: 'rxjs outside topology and main',
    files: {
      ...after(MAIN, `import './rows.ts';`),
      'services/detector/src/rows.ts': `import { map } from 'rxjs';\nmap;`,
    },
    breaches: [
      'services/detector/src/rows.ts: imports rxjs; operators live in libs/stream, wiring in topology.ts',
    ],
  },
  {
    what: 'a driver below the composition root',
    files: after('services/detector/src/topology.ts', `import '@loopwarden/stream/memory';`),
    breaches: [
      'services/detector/src/topology.ts: imports the driver memory; take a Log as a parameter and choose the driver in main.ts',
    ],
  },
  {
    what: 'a driver that needs a broker in a unit spec',
    files: after('services/detector/src/topology.spec.ts', `import '@loopwarden/stream/kafka';`),
    breaches: [
      'services/detector/src/topology.spec.ts: imports the driver kafka; take a Log as a parameter and choose the driver in main.ts',
    ],
  },
  {
    what: 'a path into another package',
    files: after(MAIN, `import type { Event } from '../../../libs/detection/src/event.ts';`),
    breaches: [`${MAIN}: reaches into libs/detection/src/event.ts by path; import the package by its name`],
  },
  {
    what: 'a source that imports from test/',
    files: { ...after(MAIN, `import '../../../test/given.ts';`), 'test/given.ts': '' },
    breaches: [`${MAIN}: reaches into test/given.ts by path; import the package by its name`],
  },
  {
    what: 'a file that imports a spec',
    files: after(MAIN, `import './topology.spec.ts';`),
    breaches: [
      `${MAIN}: imports the spec services/detector/src/topology.spec.ts; move what is shared to a file of its own`,
    ],
  },
  {
    what: 'a package that the table does not know',
    files: {
      'libs/extra/package.json': JSON.stringify({ name: '@loopwarden/extra' }),
      'libs/extra/src/main.ts': '',
    },
    breaches: ['libs/extra/src/main.ts: its package is not in the import table'],
  },
  {
    what: 'a dependency that is a range',
    files: {
      'services/cli/package.json': JSON.stringify({
        name: 'loopwarden',
        bin: { loopwarden: './bin/loopwarden.js' },
        dependencies: { '@loopwarden/detector': '^0.1.0' },
      }),
    },
    breaches: ['services/cli/package.json: pin @loopwarden/detector to one version, not ^0.1.0'],
  },
  {
    what: 'a dependency that nobody uses',
    files: { 'libs/stream/src/fold.ts': 'export const fold = 1;' },
    breaches: ['libs/stream/package.json: lists rxjs, which none of its files names; take it out'],
  },
];

const PURITY: readonly Planted[] = [
  ['Date.now();', 'uses Date'],
  ['Math.random();', 'uses Math.random'],
  ['setTimeout(latest, 1);', 'uses setTimeout'],
  ['queueMicrotask(latest);', 'uses queueMicrotask'],
  ['process.exit();', 'uses process'],
  ['const box = { process };', 'uses process'],
  ['console.log(1);', 'uses console'],
  ['type Later = Promise<number>;', 'uses Promise'],
  ['globalThis.x;', 'uses globalThis'],
  ['const later = async () => 1;', 'declares an async function'],
  ['class Window {}', 'declares a class'],
].map(([text = '', sentence]) => ({
  what: text,
  files: after(CORE, text),
  breaches: [`${CORE}: ${sentence}; the core is pure`],
}));

const SHAPES: readonly Planted[] = [
  {
    what: 'a file of 301 lines',
    files: { [MAIN]: `${SAMPLE_PROJECT[MAIN]?.trim()}\n${lines(298)}` },
    breaches: [`${MAIN}: has 301 lines of at most 300; split it by word`],
  },
  {
    what: 'a spec of 401 lines',
    files: { 'test/long.spec.ts': `${lines(401)}\n` },
    breaches: ['test/long.spec.ts: has 401 lines of at most 400; split it by word'],
  },
  {
    what: 'a function of 61 lines',
    files: after(MAIN, `const long = () => {\n${lines(59)}\n};`),
    breaches: [`${MAIN}: long has 61 lines of at most 60; give its steps names`],
  },
  {
    what: 'a function of four parameters',
    files: after(MAIN, 'const box = { put(a, b, c, d) {} };'),
    breaches: [`${MAIN}: put has 4 parameters of at most 3; take an object`],
  },
  {
    what: 'a file name that says nothing',
    files: { 'test/kafka/test-helpers.ts': '' },
    breaches: ['test/kafka/test-helpers.ts: "helpers" says nothing; name it after what it holds'],
  },
  {
    what: 'a file name in camel case',
    files: { 'test/givenEvents.ts': '' },
    breaches: ['test/givenEvents.ts: write its name in kebab-case'],
  },
  {
    what: 'an index that is no entry',
    files: { ...after(MAIN, `import './rows/index.ts';`), 'services/detector/src/rows/index.ts': '' },
    breaches: [
      'services/detector/src/rows/index.ts: is no entry of a package; name the file after what it holds',
    ],
  },
  {
    what: 'a barrel inside a package',
    files: {
      ...after(MAIN, `import { detector as same } from './rows.ts';\nsame;`),
      'services/detector/src/rows.ts': `import { detector } from './topology.ts';\nexport { detector };`,
    },
    breaches: [
      'services/detector/src/rows.ts: passes on detector of ./topology.ts; import it where it is declared',
    ],
  },
  {
    what: 'everything of a file exported',
    files: after('libs/detection/src/index.ts', `export * from './window.ts';`),
    breaches: ['libs/detection/src/index.ts: exports everything of ./window.ts; list the names'],
  },
  {
    what: 'a default export',
    files: after('services/detector/src/topology.ts', 'export default 1;'),
    breaches: ['services/detector/src/topology.ts: has a default export; give it its name'],
  },
];

const LEFTOVERS: readonly Planted[] = [
  {
    what: 'any',
    files: after(MAIN, 'const box = {} as any;'),
    breaches: [`${MAIN}: uses any; say the type, or unknown`],
  },
  {
    what: 'a focused spec',
    files: { 'test/a.spec.ts': `it.only('x', () => {});` },
    breaches: ['test/a.spec.ts: has it.only; let every spec run'],
  },
  {
    what: 'a skipped group, in any tier',
    files: { 'test/a.int.spec.ts': `describe.concurrent.skip('x', () => {});` },
    breaches: ['test/a.int.spec.ts: has describe.skip; let every spec run'],
  },
  {
    what: 'a spec that is put off',
    files: { 'test/a.spec.ts': `test.todo('x');` },
    breaches: ['test/a.spec.ts: has test.todo; let every spec run'],
  },
  {
    what: 'a unit spec that skips by machine',
    files: { 'test/a.spec.ts': `describe.skipIf(true)('x', () => {});` },
    breaches: ['test/a.spec.ts: has describe.skipIf; let every spec run'],
  },
  {
    what: 'a comment that asks for a fix',
    files: after(MAIN, `// ${'FIX'}ME: later`),
    breaches: [`${MAIN}: has a ${'FIX'}ME; fix it`],
  },
  {
    what: 'a file that only its spec imports',
    files: {
      'services/detector/src/rows.ts': 'export const rows = 1;',
      'services/detector/src/rows.spec.ts': `import { rows } from './rows.ts';\nrows;`,
    },
    breaches: ['services/detector/src/rows.ts: is imported by nothing but its spec; use it or take it out'],
  },
  {
    what: 'a name that nothing imports',
    files: after(CORE, 'export const oldest = 1;'),
    breaches: [`${CORE}: exports oldest, which nothing imports`],
  },
  {
    what: 'a name of an entry that only its own package imports',
    files: {
      ...after('libs/stream/src/index.ts', 'export const own = 1;'),
      'libs/stream/src/fold.ts': `import { scan } from 'rxjs';\nimport { own } from './index.ts';\nexport const fold = [scan, own];`,
    },
    breaches: ['libs/stream/src/index.ts: exports own, which nothing imports'],
  },
  {
    what: 'a path of one machine',
    files: { 'README.md': `See ${['', 'work', 'main'].join('/')}.` },
    breaches: ['README.md: names a path of one machine'],
  },
  {
    what: 'a lock file tied to a registry',
    files: { 'package-lock.json': `{ "resolved": "${'http'}s://registry.example/x.tgz" }` },
    breaches: [
      'package-lock.json: ties the lock file to one registry; keep omit-lockfile-registry-resolved in .npmrc',
    ],
  },
  {
    what: 'a path out of the project',
    files: { 'README.md': `See ${['..', 'shared'].join('/')}/design.md.` },
    breaches: ['README.md: points outside the project'],
  },
];

it('finds nothing in a project that keeps the rules', () => {
  expect(breachesIn({})).toEqual([]);
});

describe.each([
  ['imports', IMPORTS],
  ['purity', PURITY],
  ['shapes', SHAPES],
  ['leftovers', LEFTOVERS],
])('%s', (_, planted) => {
  it.each(planted)('refuses $what', ({ files, breaches }) => {
    expect(breachesIn(files)).toEqual(breaches);
  });
});

it('has a planted breach for every rule', () => {
  const trees = [...IMPORTS, ...PURITY, ...SHAPES, ...LEFTOVERS].map(({ files }) =>
    treeOf({ ...SAMPLE_PROJECT, ...files }),
  );
  const silent = RULES.filter(({ check }) => trees.every((tree) => check(tree).length === 0));
  expect(silent.map(({ promise }) => promise)).toEqual([]);
});

it('measures the parts of a describe, not the whole', () => {
  const group = `describe('x', () => {\n${lines(80)}\n});`;
  expect(breachesIn({ 'test/a.spec.ts': group })).toEqual([]);
  expect(breachesIn({ 'test/a.ts': `function suite() {\n${group}\n}` })).toEqual([]);
});

it('lets a table of cases have as many columns as it needs', () => {
  expect(breachesIn({ 'test/a.spec.ts': `it.each([])('x', (a, b, c, d) => {});` })).toEqual([]);
});

it('lets a spec take what specs share from test/', () => {
  const spec = after('services/detector/src/topology.spec.ts', `import '../../../test/given.ts';`);
  expect(breachesIn({ ...spec, 'test/given.ts': '' })).toEqual([]);
});

it('lets an entry name types that nobody has imported yet', () => {
  expect(breachesIn(after('libs/stream/src/index.ts', 'export interface Log {}'))).toEqual([]);
});

it('follows imports that are not statements', () => {
  const worker = { 'services/detector/src/worker.ts': 'export const work = 1;' };
  const named = after(MAIN, `new URL('./worker.ts', import.meta.url);`);
  expect(breachesIn({ ...worker, ...named })).toEqual([]);
  expect(breachesIn({ ...worker, ...after(MAIN, `import('./worker.ts');`) })).toEqual([]);
});

it('lets declarations of foreign code stand without an importer', () => {
  expect(breachesIn({ 'libs/stream/src/kafka/internals.d.ts': `declare module 'x';` })).toEqual([]);
});

it('says which file does not parse', () => {
  expect(() => treeOf({ 'test/a.ts': 'const' })).toThrow('test/a.ts');
});
