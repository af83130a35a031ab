import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

// Makes the published form of the plugin in dist/package/openclaw: one file with all that it stands on, so that nothing
// is fetched when it is installed, and the manifest. Run by `npm run build` in this package.

const root = join(import.meta.dirname, '../../..');
const here = join(root, 'libs/openclaw');
const out = join(root, 'dist/package/openclaw');

/** The only file that names OpenClaw: it lends the host's means to the plugin, and is kept by the module that loads it. */
const ENTRY = `
import { abortAgentHarnessRun } from 'openclaw/plugin-sdk/agent-harness-runtime';
import { definePluginEntry } from 'openclaw/plugin-sdk/plugin-entry';
import { openClawPlugin } from '${join(here, 'src/index.ts')}';

const active = () => globalThis[Symbol.for('openclaw.embeddedRunState')]?.activeRuns;

export default definePluginEntry(
  openClawPlugin({ abortRun: abortAgentHarnessRun, handleOf: (sessionId) => active()?.get?.(sessionId) }),
);
`;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const entry = join(out, 'entry.js');
writeFileSync(entry, ENTRY);
const hosts = ['agent-harness-runtime', 'plugin-entry'].flatMap((name) => [
  '--external',
  `openclaw/plugin-sdk/${name}`,
]);
const options = [
  '--format',
  'esm',
  '--platform',
  'node',
  '--no-codeSplitting',
  '--logLevel',
  'warn',
  ...hosts,
];
execFileSync('rolldown', [entry, '--file', join(out, 'index.js'), ...options], {
  cwd: root,
  stdio: 'inherit',
});
rmSync(entry);

const { name, version, license, type } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
};
const published = {
  name,
  version,
  description:
    'Loop guard for OpenClaw: calls of agents that go in circles are refused, by detectors of a whole fleet.',
  license,
  type,
  main: './index.js',
  files: ['index.js', 'openclaw.plugin.json', 'THIRD-PARTY-LICENSES.txt'],
  peerDependencies: { openclaw: '>=2026.7.1' },
  openclaw: {
    extensions: ['./index.js'],
    compat: { pluginApi: '>=2026.7.1', minGatewayVersion: '2026.7.1' },
  },
};
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
for (const file of [join(here, 'openclaw.plugin.json'), join(root, 'LICENSE')])
  cpSync(file, join(out, basename(file)));
// The page without links to what is not in the package.
const readme = readFileSync(join(here, 'README.md'), 'utf8').replace(/\[([^\]]+)\]\(\.\.[^)]*\)/g, '$1');
writeFileSync(join(out, 'README.md'), readme);
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licenses(readFileSync(join(out, 'index.js'), 'utf8')));

/** The licences of the packages that a bundle holds: before each of its parts stands where that came from. */
function licenses(bundle: string): string {
  const sources = bundle.matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm);
  const names = [...new Set([...sources].map(([, source = '']) => source))].sort();
  return names
    .map((source) => `${source}\n\n${licenseOf(join(root, 'node_modules', source))}`)
    .join('\n\n---\n\n');
}

function licenseOf(folder: string): string {
  const file = readdirSync(folder).find((candidate) => /^licen[cs]e/i.test(candidate));
  if (file === undefined) throw new Error(`${folder} has no licence to pass on.`);
  return readFileSync(join(folder, file), 'utf8').trim();
}
