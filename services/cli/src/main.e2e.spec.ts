import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../bin/loopwarden.js', import.meta.url));
const SAMPLES = fileURLToPath(new URL('../samples', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwarden-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

function loopwarden(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...args], (error, out, err) => {
      resolve({ status: Number(error?.code ?? 0), out, err });
    });
    child.stdin?.end();
  });
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

test('the demo finds the loops of every format, with status 3', async () => {
  const { status, out } = await loopwarden('replay', '--demo', '--json');
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(status).toBe(3);
  expect(lines.at(-1)).toMatchObject({
    type: 'summary',
    input: { files: { events: 1, openclaw: 1, 'claude-code': 1, codex: 1 } },
    verdicts: { warn: 4, block: 3, abort: 1 },
  });
  expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(['run', 'verdict', 'summary']));
});

test('output that is no terminal has no colours', async () => {
  const { out } = await loopwarden('replay', '--demo');
  expect(out).not.toContain('\u001b');
  expect(out).toContain('ABORT');
});

test('a recording without loops ends with status 0, also when its last line is cut off', async () => {
  const path = await file(
    'quiet.jsonl',
    '{"type":"tool_call","runId":"r","tool":"read","args":{}}\n{"type":"tool_re',
  );
  expect(await loopwarden('replay', path)).toMatchObject({ status: 0, err: '' });
});

test('a file that is no transcript is refused with what was expected', async () => {
  const { status, err } = await loopwarden('replay', await file('note.txt', 'hello\n'));
  expect(status).toBe(2);
  expect(err).toContain('OpenClaw sessions');
  expect(err).toMatch(/\[no_transcript\]\n$/);
});

test('a file of events of which none is valid names them, and ends with a code', async () => {
  const { status, err } = await loopwarden(
    'replay',
    await file('bad.jsonl', '{"type":"tool_cal","runId":"r"}\n'),
  );
  expect(status).toBe(2);
  expect(err).toMatch(/bad\.jsonl:1: type must be one of .+\n.+\[bad_events\]\n$/);
});

test('in a folder such files are listed and the rest is replayed', async () => {
  await file('note.txt', 'hello\n');
  await file('quiet.jsonl', '{"type":"tool_call","runId":"r","tool":"read","args":{}}\n');
  const { status, err } = await loopwarden('replay', folder);
  expect(status).toBe(0);
  expect(err).toContain('note.txt');
});

test('links in a folder are counted and named with the files that were skipped', async () => {
  const path = join(folder, 'linked');
  await mkdir(path);
  await file('linked/quiet.jsonl', '{"type":"tool_call","runId":"r","tool":"read","args":{}}\n');
  await symlink('quiet.jsonl', join(path, 'link.jsonl'));
  const { status, out, err } = await loopwarden('replay', path, '--json');
  expect(status).toBe(0);
  expect(err).toBe(`${join(path, 'link.jsonl')} is a symbolic link, and not followed.\n`);
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    runs: 1,
    input: { refused: 1, refusedFiles: [join(path, 'link.jsonl')] },
  });
});

test.each([[['replay', '--demo']], [['replay', '--demo', '--json']], [['--help']]])(
  'output that cannot be written is one sentence: %j',
  async (args) => {
    // Open for reading alone: writing fails as on a full disk.
    const readOnly = await open(await file('output', ''), 'r');
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', readOnly.fd, 'pipe'] });
    const [[status], err] = await Promise.all([
      once(child, 'exit'),
      child.stderr === null ? '' : text(child.stderr),
    ]);
    await readOnly.close();
    expect(status).toBe(1);
    expect(err).toMatch(/^loopwarden: The output cannot be written .+\[output_failed\]\n$/);
  },
);

test('a reader that has seen enough is no failure', async () => {
  const child = spawn(process.execPath, [COMMAND, 'replay', '--demo', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [[status], err] = await Promise.all([
    once(child, 'exit'),
    child.stderr === null ? '' : text(child.stderr),
  ]);
  expect({ status, err }).toEqual({ status: 0, err: '' });
});

test.each([
  [['replay', 'nowhere'], 'path_not_found'],
  [['replay', '--demo', '--policy', 'nowhere'], 'policy_unreadable'],
  [['conformance', 'nowhere'], 'cases_unreadable'],
  [['replay', '--demo', 'session.jsonl'], 'demo_alone'],
  [['replay', '--bogus'], "Unknown option '--bogus'. Run with --help for what is possible. [bad_usage]"],
  [['policy', 'bogus'], 'bad_usage'],
])('%j is bad input, said in a sentence', async (args, said) => {
  const { status, err } = await loopwarden(...args);
  expect(status).toBe(2);
  expect(err).toContain(said);
  expect(err).not.toMatch(/\n\s+at /); // a stack
});

test('a block pasted from OpenClaw is a policy; one that is refused says why', async () => {
  const block = await file(
    'block.json5',
    '// pasted\n{ enabled: true, warningThreshold: 3, criticalThreshold: 6, }',
  );
  expect((await loopwarden('policy', 'check', block)).status).toBe(0);
  expect((await loopwarden('policy', 'explain', block, '--agent', 'a')).out).toMatch(
    /warningThreshold +3 +global/,
  );
  const wrong = await file('wrong.json5', '{ enabled: true, warningThreshold: 6, criticalThreshold: 6 }');
  const refused = await loopwarden('replay', SAMPLES, '--policy', wrong);
  expect(refused.status).toBe(2);
  expect(refused.err).toContain('criticalThreshold');
});

test('a policy whose block has a mistyped name is accepted, and said to leave the detectors off', async () => {
  const path = await file('mistyped.json5', '{ tools: { loopDetecton: { enabled: true } } }');
  const { status, out } = await loopwarden('policy', 'check', path);
  expect(status).toBe(0);
  expect(out).toContain('The detectors are off');
  const off = await file('off.json5', '{ historySize: 40 }');
  expect((await loopwarden('policy', 'check', off)).out.match(/detectors are off/g)).toHaveLength(1);
});

test('a file without a case is no proof that all cases hold', async () => {
  const { status, err } = await loopwarden('conformance', await file('none.jsonl', '\n'));
  expect(status).toBe(2);
  expect(err).toContain('no_cases');
});

test('conformance prints what a case leads to, with or without an expectation', async () => {
  const call = { type: 'tool_call', runId: 'r', tool: 'read', args: {} };
  const cases = [
    { id: 'a', policy: {}, events: [call] },
    { id: 'b', policy: { tools: { loopDetection: { historySize: 0 } } } },
    { id: 'c', policy: {}, events: [call], expect: [{ event: 0, action: 'block' }] },
  ];
  const path = await file('cases.jsonl', cases.map((one) => JSON.stringify(one)).join('\n'));
  const { status, out } = await loopwarden('conformance', path, '--json');
  expect(status).toBe(0);
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { id: 'a', actual: [] },
    { id: 'b', actual: [{ path: 'tools.loopDetection.historySize', kind: 'value' }] },
    { id: 'c', actual: [] },
  ]);
  const compared = await loopwarden('conformance', path);
  expect(compared.status).toBe(1);
  expect(compared.out).toContain('event 0');
});
