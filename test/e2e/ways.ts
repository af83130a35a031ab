import type { Deed, RunPlan } from './agent-run.ts';

/** The thresholds that the fleet is judged by. Each differs from its default, so that no number is right by accident. */
const LIMITS = { warning: 8, critical: 12, unknownTool: 6, guard: 4 } as const;

export const POLICY = {
  tools: {
    loopDetection: {
      enabled: true,
      warningThreshold: LIMITS.warning,
      criticalThreshold: LIMITS.critical,
      unknownToolThreshold: LIMITS.unknownTool,
      postCompactionGuard: { windowSize: LIMITS.guard },
    },
  },
};

interface Way {
  /** What is done at a number from 0; null: the work is done. */
  readonly deed: (index: number) => Deed | null;
  /** What the policy says of a run that does only this; null: nothing. */
  readonly expected: Expected | null;
}

/** What a run that loops meets, by numbers of its calls from 1. */
interface Expected {
  /** A warning goes with this call; null: with none. */
  readonly warned: number | null;
  /** This one is refused first. */
  readonly refused: number;
  readonly end: 'failed' | 'aborted';
}

/** A loop that nobody stops is ended by its host after so many deeds. */
const HOST_LIMIT = 200;

const call = (tool: string, args: unknown, result: unknown): Deed => ({ kind: 'call', tool, args, result });
const missing = (index: number): Deed => ({
  kind: 'call',
  tool: 'crm_lookup',
  args: { customer: index },
  error: 'unknown tool: crm_lookup',
});
const running = (text: string): unknown => ({
  details: { status: 'running' },
  content: [{ type: 'text', text }],
});
const upTo = (limit: number, deed: Way['deed']): Way['deed'] => {
  return (index) => (index < limit ? deed(index) : null);
};
const read = (index: number): Deed => call('read', { path: `src/part-${index}.ts` }, `part ${index}`);
/** Equal to the model: only what changes with every start differs. */
const build = (index: number): Deed =>
  call(
    'exec',
    { command: 'make' },
    {
      details: { status: 'failed', exitCode: 2, durationMs: 900 + index, pid: 4000 + index },
      content: [{ type: 'text', text: 'make: *** No rule to make target' }],
    },
  );
const pingPong = (index: number): Deed =>
  index % 2 === 0 ? call('format', {}, '1 file formatted') : call('lint', {}, 'line too long');
const afterCompaction = (index: number): Deed => {
  return index === 0 ? { kind: 'compaction' } : call('migrate', { step: 4 }, 'applied before');
};

const { warning, critical, unknownTool, guard } = LIMITS;
/** The streak is whole with its last result, so the call after it meets the verdict. */
const repeated: Expected = { warned: warning + 1, refused: critical + 1, end: 'failed' };

/** How runs loop in the field. */
export const LOOPS: Readonly<Record<string, Way>> = {
  repeat: { deed: upTo(HOST_LIMIT, () => call('read', { path: 'a.ts' }, 'empty')), expected: repeated },
  volatile: { deed: upTo(HOST_LIMIT, build), expected: repeated },
  poll: {
    deed: upTo(HOST_LIMIT, () => call('process', { action: 'poll', sessionId: 'b' }, running('linking'))),
    expected: repeated,
  },
  // The call in hand is part of the alternation that is counted.
  'ping-pong': {
    deed: upTo(HOST_LIMIT, pingPong),
    expected: { warned: warning, refused: critical, end: 'failed' },
  },
  'missing tool': {
    deed: upTo(HOST_LIMIT, missing),
    expected: { warned: null, refused: unknownTool + 1, end: 'failed' },
  },
  compaction: {
    deed: upTo(HOST_LIMIT, afterCompaction),
    expected: { warned: null, refused: guard + 1, end: 'aborted' },
  },
};

/** How runs work, among them such that stop one deed short of a loop. */
export const HONEST: Readonly<Record<string, Way>> = {
  reads: { deed: upTo(10, read), expected: null },
  polls: {
    deed: upTo(warning + 2, (index) =>
      call('process', { action: 'poll', sessionId: 'd' }, running(`${index * 4}% done`)),
    ),
    expected: null,
  },
  'almost repeats': {
    deed: upTo(warning, () => call('read', { path: 'a.ts' }, 'empty')),
    expected: null,
  },
  'almost ping-pongs': { deed: upTo(warning - 1, pingPong), expected: null },
  'almost misses': { deed: upTo(unknownTool, missing), expected: null },
  'almost after compaction': {
    deed: upTo(guard + 3, (index) => (index === guard ? read(index) : afterCompaction(index))),
    expected: null,
  },
  edits: {
    deed: upTo(12, (index) =>
      index % 2 === 0
        ? call('edit', { path: 'cart.ts', change: index }, 'saved')
        : call('exec', { command: `npm test ${index}` }, `${9 - (index >> 1)} of 40 failed`),
    ),
    expected: null,
  },
};

function wayOf({ way }: RunPlan): Way {
  const found = LOOPS[way] ?? HONEST[way];
  if (found === undefined) throw new Error(`There is no way "${way}".`);
  return found;
}

/** What a run does next; null: it is done. */
export function deedOf(plan: RunPlan, index: number): Deed | null {
  const { prelude } = plan;
  return index < prelude
    ? call('search', { query: index }, `hit ${index}`)
    : wayOf(plan).deed(index - prelude);
}

/** What the policy says of a whole run. */
export function expectedOf(plan: RunPlan): Expected | null {
  const { expected } = wayOf(plan);
  if (expected === null) return null;
  const { warned, refused, end } = expected;
  const { prelude } = plan;
  return { warned: warned === null ? null : prelude + warned, refused: prelude + refused, end };
}
