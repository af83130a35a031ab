import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { relink } from './relink.ts';

// Makes the published form of the SDK in dist/package/gateway: compiled JavaScript with types, in which the parts of
// this project that it stands on lie beside it. Run by `npm run build` in this package.

const root = join(import.meta.dirname, '../../..');
const out = join(root, 'dist/package/gateway');
const lib = join(out, 'lib');

rmSync(out, { recursive: true, force: true });
execFileSync('tsc', ['-p', join(root, 'libs/gateway/package/tsconfig.json')], { stdio: 'inherit' });

const foreign = new Set<string>();
for (const file of globSync(`${lib}/**/*.{js,d.ts}`)) {
  const { text, packages } = relink(readFileSync(file, 'utf8'), relative(lib, file));
  writeFileSync(file, text);
  if (file.endsWith('.js')) for (const name of packages) foreign.add(name);
}

const { name, version, license, type } = manifest('libs/gateway');
const published = {
  name,
  version,
  description: 'The loop guard for fleets of AI agents: the SDK that a gateway embeds.',
  license,
  type,
  engines: { node: '>=22.13' },
  sideEffects: false,
  exports: {
    '.': entry('index'),
    './embedded': entry('embedded/index'),
    './kafka': entry('kafka/index'),
    './package.json': './package.json',
  },
  files: ['lib'],
  dependencies: Object.fromEntries([...foreign].sort().map((dependency) => [dependency, pinned(dependency)])),
};
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
writeFileSync(join(out, 'README.md'), readme());
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));

/** The page without links to what is not in the package. */
function readme(): string {
  return readFileSync(join(root, 'libs/gateway/README.md'), 'utf8').replace(
    /\[([^\]]+)\]\(\.\.[^)]*\)/g,
    '$1',
  );
}

function entry(path: string): { types: string; default: string } {
  const file = `./lib/libs/gateway/src/${path}`;
  return { types: `${file}.d.ts`, default: `${file}.js` };
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

function manifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8')) as Manifest;
}

/** The version that the part which imports it pins. */
function pinned(dependency: string): string {
  for (const dir of ['libs/stream', 'libs/wire']) {
    const found = manifest(dir).dependencies[dependency];
    if (found !== undefined) return found;
  }
  throw new Error(`No part pins ${dependency}.`);
}
