import type { Match, Outcome } from '@loopwarden/detection';
import fc from 'fast-check';
import { type Block, isOrdered, type PolicyDocument } from './oracle/settings.ts';

/** Small worlds, biased to loops. A scenario says what is attempted; `play.ts` makes events of it. */

const digest = (letter: string): string => letter.repeat(32);

export const CALLS = [
  { tool: 'read', args: digest('a'), poll: false },
  { tool: 'read', args: digest('b'), poll: false },
  { tool: 'grep', args: digest('a'), poll: false },
  { tool: 'process', args: digest('d'), poll: true },
  { tool: 'process', args: digest('e'), poll: false },
  { tool: 'serach', args: digest('a'), poll: false },
  { tool: 'serach', args: digest('b'), poll: false },
] as const;

export type Call = (typeof CALLS)[number];

export interface Answer {
  readonly outcome: Outcome;
  readonly digest: string | null;
  readonly missingTool: string | null;
}

const answer = (outcome: Outcome, letter: string | null, missingTool: string | null = null): Answer => ({
  outcome,
  digest: letter === null ? null : digest(letter),
  missingTool,
});

/** Four outcomes at most: what is remembered of warnings is bounded, and the oracle's memory is not. */
const ANSWERS = [answer('result', '1'), answer('result', '2'), answer('error', '1')];
const MISSING = [
  answer('error', '5', 'serach'),
  answer('error', '1', 'serach'),
  answer('error', '5', 'other'),
];

/** Who speaks: run, producer, named agent, and the milliseconds since the last event. */
export interface Voice {
  readonly run: string;
  readonly source: string;
  readonly agent: string | null;
  /** A number of milliseconds, or a place beside the idle horizon. */
  readonly pause: number | { readonly horizon: number };
}

/** How a gateway treats what it knows: refuses what it should, hands warnings out. */
export interface Manner {
  readonly obeys: boolean;
  readonly reports: boolean;
  readonly handsOut: boolean;
}

export type Step = Voice &
  (
    | {
        readonly do: 'loop';
        readonly calls: readonly Call[];
        readonly answers: readonly Answer[];
        readonly times: number;
        readonly manner: Manner;
      }
    | { readonly do: 'call'; readonly call: Call; readonly callId: string | null; readonly manner: Manner }
    | {
        readonly do: 'answer';
        readonly nth: number;
        readonly answer: Answer;
        readonly names: 'args' | 'callId' | 'both';
      }
    | {
        readonly do: 'stray';
        readonly call: Call;
        readonly answer: Answer;
        readonly callId: string | null;
        readonly named: boolean;
      }
    | { readonly do: 'again'; readonly back: number; readonly count: number }
    | { readonly do: 'lose' }
    | { readonly do: 'compact'; readonly retry: boolean }
    | { readonly do: 'attach' | 'end' | 'riddle' }
    | { readonly do: 'lie'; readonly call: Call; readonly epochs: number; readonly sequence: number }
    | { readonly do: 'release'; readonly match: Match | null; readonly epochs: number | null }
    | { readonly do: 'policy'; readonly document: string; readonly stale: boolean }
  );

export interface Scenario {
  readonly policy: PolicyDocument;
  readonly steps: readonly Step[];
}

const few = <T>(values: readonly [T, ...T[]] | readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const mostly = <T>(usual: T, ...rare: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: few(rare) });

const anyCall: fc.Arbitrary<Call> = few(CALLS);
const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: few(ANSWERS) },
  { weight: 2, arbitrary: few(MISSING) },
  { weight: 1, arbitrary: fc.constant(answer('none', null)) },
);

const positive = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });

const switches = {
  genericRepeat: mostly(true, false),
  knownPollNoProgress: mostly(true, false),
  pingPong: mostly(true, false),
};

const anyBlock: fc.Arbitrary<Block> = fc.record(
  {
    enabled: mostly<boolean>(true, false),
    observe: mostly<boolean>(false, true),
    historySize: fc.oneof(positive(6), fc.integer({ min: 6, max: 26 })),
    warningThreshold: positive(4),
    unknownToolThreshold: positive(4),
    criticalThreshold: fc.oneof(fc.integer({ min: 2, max: 7 }), fc.constant(20)),
    globalCircuitBreakerThreshold: fc.integer({ min: 3, max: 10 }),
    detectors: fc.record(switches, { requiredKeys: [] }),
    postCompactionGuard: fc.record({ windowSize: positive(3) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

/** A block that passes the check: what it sets is in order. */
const block = anyBlock.filter(isOrdered);

/** The usual case: the detectors are on, everything is small. */
const busyBlock: fc.Arbitrary<Block> = anyBlock
  .map((made) => ({
    warningThreshold: 2,
    unknownToolThreshold: 2,
    criticalThreshold: 4,
    ...made,
    enabled: true,
  }))
  .filter(isOrdered);

const policyDocument: fc.Arbitrary<PolicyDocument> = fc.record(
  {
    tools: fc.record(
      { loopDetection: fc.oneof({ weight: 3, arbitrary: busyBlock }, block) },
      { requiredKeys: [] },
    ),
    agents: fc.record({
      list: fc.array(
        block.map((made) => ({ id: 'beta', tools: { loopDetection: made } })),
        { maxLength: 1 },
      ),
    }),
    loopwarden: fc.record({ idle: few(['30m', '1h', '2h']) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['tools'] },
);

/** Documents that the check refuses: they change nothing. */
const REFUSED = [
  '{',
  '[]',
  '7',
  '{"tools":{"loopDetection":{"warningThreshold":0}}}',
  '{"tools":{"loopDetection":{"historySize":"9"}}}',
  '{"tools":{"loopDetection":{"warningThreshold":3,"criticalThreshold":3}}}',
];

const voice = {
  run: few(['r1', 'r1', 'r1', 'r2', 'r2', 'r3']),
  source: mostly('g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8', 'g9'),
  agent: mostly<string | null>('alpha', 'beta', null),
  pause: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: 0, max: 400 }) },
    { weight: 2, arbitrary: fc.integer({ min: -900, max: -1 }) },
    { weight: 1, arbitrary: fc.record({ horizon: few([-60_000, -1, 0, 1, 70_000]) }) },
  ),
};

const manner: fc.Arbitrary<Manner> = fc.record({
  obeys: mostly<boolean>(true, false),
  reports: mostly<boolean>(true, false),
  handsOut: mostly<boolean>(true, false),
});

const callId = few<string | null>([null, 'same', 'other']);

const match: fc.Arbitrary<Match | null> = fc.oneof(
  fc.constant(null),
  anyCall.map(({ tool, args }): Match => ({ scope: 'signature', tool, args })),
  anyCall.map(({ tool }): Match => ({ scope: 'tool', tool, args: null })),
  few<string | null>([null, 'read']).map((tool): Match => ({ scope: 'run', tool, args: null })),
);

/** One or two calls in turn, each with its usual answer: the loops that detectors look for. */
const loop = fc
  .record({
    calls: fc.oneof(
      anyCall.map((call) => [call]),
      fc.tuple(anyCall, anyCall),
      fc.constant([CALLS[5], CALLS[6]]),
    ),
    answers: fc.oneof(
      anyAnswer.map((one) => [one]),
      fc.tuple(anyAnswer, anyAnswer),
    ),
    times: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 2, max: 7 }) },
      { weight: 1, arbitrary: fc.integer({ min: 11, max: 14 }) },
    ),
    manner,
  })
  .map((made) => ({ do: 'loop' as const, ...made }));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ ...voice, loop }).map(({ loop: made, ...speaker }) => ({ ...speaker, ...made })),
  },
  {
    weight: 5,
    arbitrary: fc.record({ ...voice, do: fc.constant('call' as const), call: anyCall, callId, manner }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      ...voice,
      do: fc.constant('answer' as const),
      nth: fc.nat(3),
      answer: anyAnswer,
      names: few(['args', 'callId', 'both'] as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...voice,
      do: fc.constant('stray' as const),
      call: anyCall,
      answer: anyAnswer,
      callId,
      named: mostly<boolean>(true, false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...voice,
      do: fc.constant('again' as const),
      back: fc.nat(12),
      count: positive(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...voice, do: fc.constant('lose' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...voice,
      do: fc.constant('compact' as const),
      retry: mostly<boolean>(true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...voice, do: few(['attach', 'attach', 'end', 'riddle'] as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...voice,
      do: fc.constant('lie' as const),
      call: anyCall,
      epochs: fc.integer({ min: -1, max: 1 }),
      sequence: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...voice,
      do: fc.constant('release' as const),
      match,
      epochs: few([null, null, -1, 0, 1]),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...voice,
      do: fc.constant('policy' as const),
      document: fc.oneof(
        { weight: 5, arbitrary: policyDocument.map((made) => JSON.stringify(made)) },
        few(REFUSED),
      ),
      stale: mostly<boolean>(false, true),
    }),
  },
);

export const scenario = (maxSteps = 20): fc.Arbitrary<Scenario> =>
  fc.record({ policy: policyDocument, steps: fc.array(step, { minLength: 1, maxLength: maxSteps }) });

/** How often a property is tried: more by `LOOPWARDEN_LAW_RUNS`. */
export const runs = (usual: number): { numRuns: number } => ({
  numRuns: Number(process.env.LOOPWARDEN_LAW_RUNS ?? usual),
});
