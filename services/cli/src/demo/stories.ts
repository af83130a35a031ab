import type { Story, Turn } from './story.ts';

/** Calls that the host of the demo would allow a run: so long a loop goes on without a guard. */
const HOST_LIMIT = 100;

const call = (tool: string, args: unknown, result: unknown): Turn => ({ kind: 'call', tool, args, result });

/** A list of turns, then the end. */
const listed =
  (turns: readonly Turn[]): Story['turn'] =>
  (index) =>
    turns[index] ?? null;

/** The same turns again and again, until the host ends it. */
const forEver =
  (turns: readonly Turn[]): Story['turn'] =>
  (index) =>
    index < HOST_LIMIT ? (turns[index % turns.length] ?? null) : null;

const files = ['router', 'session', 'login', 'logout', 'token', 'user', 'cookie', 'guard', 'audit', 'index'];

const LOOPS: readonly Story[] = [
  {
    run: 'fix-login',
    agent: 'coder',
    kind: 'repeat',
    text: 'reads one file over and over',
    turn: forEver([call('read', { path: 'src/login.ts' }, 'export const login = () => todo();')]),
  },
  {
    run: 'nightly-build',
    agent: 'builder',
    kind: 'poll',
    text: 'polls a command that hangs',
    turn: forEver([
      call(
        'process',
        { action: 'poll', sessionId: 'build-1' },
        { details: { status: 'running' }, content: [{ type: 'text', text: 'still linking…' }] },
      ),
    ]),
  },
  {
    run: 'style-guide',
    agent: 'writer',
    kind: 'ping-pong',
    text: 'formats, lints, formats, lints …',
    turn: forEver([
      call('format', { path: 'README.md' }, '1 file formatted'),
      call('lint', { path: 'README.md' }, 'README.md: line too long'),
    ]),
  },
  {
    run: 'ticket-4711',
    agent: 'support',
    kind: 'missing tool',
    text: 'wants a tool that does not exist',
    turn: (index) =>
      index < HOST_LIMIT
        ? {
            kind: 'call',
            tool: 'crm_lookup',
            args: { customer: 4711 + index },
            error: 'unknown tool: crm_lookup',
          }
        : null,
  },
  {
    run: 'migrate-db',
    agent: 'dba',
    kind: 'compaction',
    text: 'repeats itself after a compaction',
    turn: (index) => {
      if (index < 5) return call('query', { table: files[index] }, `${(index + 3) * 17} rows`);
      if (index === 5) return { kind: 'compaction' };
      return index < HOST_LIMIT ? call('migrate', { step: 4 }, 'step 4 was applied before') : null;
    },
  },
];

const HONEST: readonly Story[] = [
  {
    run: 'weekly-report',
    agent: 'analyst',
    kind: 'heeds',
    text: 'is warned, and takes another way',
    turn: (index, { warnings }) => {
      if (warnings === 0)
        return index < HOST_LIMIT ? call('fetch', { url: '/sales?week=48' }, 'no data yet') : null;
      return index < 18 ? call('fetch', { url: `/sales?day=${index}` }, `${index * 31} orders`) : null;
    },
  },
  {
    run: 'review-auth',
    agent: 'reviewer',
    kind: 'honest',
    text: 'reads a module, file by file',
    turn: listed(
      [...files, ...files].map((name, index) =>
        call('read', { path: `src/${name}.ts`, from: index * 40 }, `${name}, part ${index}`),
      ),
    ),
  },
  {
    run: 'deploy-shop',
    agent: 'deployer',
    kind: 'honest',
    text: 'polls a deployment that goes on',
    turn: (index) =>
      index < 24
        ? call(
            'process',
            { action: 'poll', sessionId: 'deploy-7' },
            { details: { status: 'running' }, content: [{ type: 'text', text: `${index * 4}% done` }] },
          )
        : null,
  },
  {
    run: 'flaky-test',
    agent: 'tester',
    kind: 'honest',
    text: 'edits and tests until it is green',
    turn: (index) => {
      if (index >= 16) return null;
      return index % 2 === 0
        ? call('edit', { path: 'src/cart.ts', change: index }, 'saved')
        : call('exec', { command: 'npm test' }, `${8 - (index >> 1)} of 40 failed`);
    },
  },
  {
    run: 'plan-trip',
    agent: 'planner',
    kind: 'honest',
    text: 'searches this and that',
    turn: listed(
      ['trains', 'hotels', 'weather', 'museums', 'food', 'trains back'].map((query) =>
        call('search', { query }, `12 hits for ${query}`),
      ),
    ),
  },
];

/** The runs of the demo's fleet: five that loop, and five that nobody must touch. */
export const STORIES: readonly Story[] = [...LOOPS, ...HONEST];
