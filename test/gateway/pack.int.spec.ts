import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
const BIN = join(ROOT, 'node_modules/.bin');
/** The oldest Node that the package promises, as a package itself. */
const OLDEST_NODE = `node-linux-${process.arch}@22.13.0`;
const MINUTES = 60_000;

const work = mkdtempSync(join(tmpdir(), 'loopwarden-pack-'));
const project = join(work, 'project');
const dataDir = join(work, 'data');
let up: ChildProcess;

beforeAll(async () => {
  up = await startLog();
  await run('npm', ['run', 'build', '-w', '@loopwarden/gateway'], { cwd: ROOT });
  const packed = await run('npm', ['pack', '--json', '--pack-destination', work], {
    cwd: join(ROOT, 'dist/package/gateway'),
  });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'example.ts'), example());
  const inTree = (name: string): string =>
    `${name}@${(JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version}`;
  await run(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      join(work, filename),
      inTree('typescript'),
      inTree('@types/node'),
      OLDEST_NODE,
    ],
    { cwd: project },
  );
}, 5 * MINUTES);

afterAll(async () => {
  up?.kill('SIGTERM');
  if (up?.exitCode === null) await new Promise((resolve) => up.once('exit', resolve));
  rmSync(work, { recursive: true, force: true });
});

it('brings compiled JavaScript with types and nothing native', async () => {
  const listed = await run('npm', ['ls', '--all', '--parseable'], { cwd: project });
  const foreign = listed.stdout.split('\n').filter((path) => path.includes('@loopwarden/'));
  expect(foreign).toEqual([join(project, 'node_modules/@loopwarden/gateway')]);
  const names = ['@loopwarden', 'avsc', 'kafkajs', 'rxjs'].map((name) => join(project, 'node_modules', name));
  const { stdout } = await run('find', [...names, '-name', '*.node', '-o', '-name', 'binding.gyp']);
  expect(stdout).toBe('');
});

it('holds what it needs and nothing of where it was made', async () => {
  const home = join(project, 'node_modules/@loopwarden/gateway');
  const files = globSync('**/*', { cwd: home, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(home, join(entry.parentPath, entry.name)));
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']));
  expect(paths.filter((path) => !/(?:\.js|\.d\.ts|\.json|^README\.md|^LICENSE)$/.test(path))).toEqual([]);
  expect(paths.filter((path) => /spec|testing|[/]test[/]/.test(path))).toEqual([]);
  for (const path of paths) {
    const text = readFileSync(join(home, path), 'utf8');
    for (const place of [ROOT, homedir(), tmpdir(), '](../']) {
      expect(text.includes(place), `${path} names ${place}`).toBe(false);
    }
  }
});

it(
  "type-checks a user's code, its own declarations included",
  async () => {
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2024',
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          outDir: 'out',
          types: ['node'],
        },
        files: ['example.ts', 'kafka.ts'],
      }),
    );
    writeFileSync(
      join(project, 'kafka.ts'),
      "import { openKafka } from '@loopwarden/gateway/kafka';\nexport const open = () => openKafka({ brokers: ['a:1'] });\n",
    );
    const checked = await run('npx', ['tsc', '-p', '.'], { cwd: project }).catch(
      (failed: { stdout: string }) => failed,
    );
    expect(checked.stdout).toBe('');
  },
  MINUTES,
);

it.each([
  [
    'the oldest Node that it promises',
    () => join(project, `node_modules/node-linux-${process.arch}/bin/node`),
  ],
  ['the Node of this project', () => join(BIN, 'node')],
])(
  "runs the README's example on %s",
  async (_, node) => {
    const env = { ...process.env, LOOPWARDEN_DATA_DIR: dataDir };
    const { stdout } = await run(node(), ['out/example.js'], { cwd: project, env });
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^call 11 was warned of: WARNING: read was called 10 times/),
      expect.stringMatching(/^call 21 was refused: CRITICAL: read was called 20 times/),
    ]);
    const loaded = await run(
      node(),
      ['-e', "import('@loopwarden/gateway/kafka').then((m) => console.log(typeof m.openKafka))"],
      { cwd: project },
    );
    expect(loaded.stdout.trim()).toBe('function');
  },
  MINUTES,
);

/** The first example of the page that people read. */
function example(): string {
  const page = readFileSync(join(ROOT, 'libs/gateway/README.md'), 'utf8');
  const [, text] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  if (text === undefined) throw new Error('The README has no example.');
  return text;
}

/** A log and its detector, as a user starts them. */
async function startLog(): Promise<ChildProcess> {
  const env = { ...process.env, PATH: `${BIN}:${process.env.PATH}` };
  const child = spawn(join(BIN, 'loopwarden'), ['up', '--data-dir', dataDir, '--http-port', '0'], { env });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk;
      if (said.includes('is up')) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => reject(new Error(said)));
  });
  return child;
}
