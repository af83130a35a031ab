import type { Match, Outcome } from '@loopwarden/detection';
import fc from 'fast-check';
import type { Block, PolicyDocument } from './oracle/settings.ts';
import { few, mostly, positive } from './pick.ts';
import { guardDocument, patch, policyDocument, REFUSED } from './policies.ts';

/** Small worlds, biased to loops. A scenario says what is attempted; `play.ts` makes events of it. */

const digest = (letter: string): string => letter.repeat(32);

/** A call as the log knows it. */
export interface Call {
  readonly tool: string;
  readonly args: string;
  readonly poll: boolean;
}

export const CALLS = [
  { tool: 'read', args: digest('a'), poll: false },
  { tool: 'read', args: digest('b'), poll: false },
  { tool: 'grep', args: digest('a'), poll: false },
  { tool: 'process', args: digest('d'), poll: true },
  { tool: 'process', args: digest('e'), poll: false },
  { tool: 'serach', args: digest('a'), poll: false },
  { tool: 'serach', args: digest('b'), poll: false },
] as const satisfies readonly Call[];

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
  /** Also says that it hands out an earlier warning, counted back; null: no. */
  readonly claims: number | null;
}

/** What is attempted, by name. */
interface Deeds {
  readonly loop: {
    readonly calls: readonly Call[];
    readonly answers: readonly Answer[];
    readonly times: number;
    /** The model's context is compacted before the loop. */
    readonly compacts: boolean;
    readonly manner: Manner;
  };
  readonly call: { readonly call: Call; readonly callId: string | null; readonly manner: Manner };
  /** The result of the nth newest call without one. */
  readonly answer: {
    readonly nth: number;
    readonly answer: Answer;
    readonly names: 'args' | 'callId' | 'both';
  };
  /** A result that may have no call. */
  readonly stray: {
    readonly call: Call;
    readonly answer: Answer;
    readonly callId: string | null;
    readonly named: boolean;
  };
  /** Records are delivered again. */
  readonly again: { readonly back: number; readonly count: number };
  /** A number is taken, its event never comes. */
  readonly lose: object;
  /** An event of a later version. */
  readonly riddle: object;
  readonly compact: { readonly retry: boolean };
  readonly attach: object;
  readonly end: object;
  /** A veto by a verdict that may never have been, or by none. */
  readonly lie: { readonly call: Call; readonly epochs: number; readonly sequence: number | null };
  readonly release: { readonly match: Match | null; readonly epochs: number | null };
  readonly policy: { readonly document: string; readonly stale: boolean };
  /** The policy in force with another value or two. */
  readonly tweak: { readonly patch: Block };
}

export type Deed = keyof Deeds;
export type StepOf<D extends Deed> = Voice & { readonly do: D } & Deeds[D];
export type Step = { [D in Deed]: StepOf<D> }[Deed];

export interface Scenario {
  readonly policy: PolicyDocument;
  readonly steps: readonly Step[];
}

export const anyCall: fc.Arbitrary<Call> = few(CALLS);
export const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: few(ANSWERS) },
  { weight: 2, arbitrary: few(MISSING) },
  { weight: 1, arbitrary: fc.constant(answer('none', null)) },
);

const voice = {
  run: few(['r1', 'r1', 'r1', 'r1', 'r2', 'r3']),
  source: mostly('g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8', 'g9'),
  agent: mostly<string | null>('alpha', 'beta', null),
  pause: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: 0, max: 400 }) },
    { weight: 2, arbitrary: fc.integer({ min: -900, max: -1 }) },
    { weight: 1, arbitrary: fc.record({ horizon: few([-60_000, -1, 0, 1, 70_000]) }) },
  ),
};

export const manner: fc.Arbitrary<Manner> = fc.record({
  obeys: mostly<boolean>(true, false),
  reports: mostly<boolean>(true, false),
  handsOut: mostly<boolean>(true, false),
  claims: mostly<number | null>(null, 0, 1, 5),
});

const callId = few<string | null>([null, 'same', 'other']);

export const match: fc.Arbitrary<Match | null> = fc.oneof(
  fc.constant(null),
  anyCall.map(({ tool, args }): Match => ({ scope: 'signature', tool, args })),
  anyCall.map(({ tool }): Match => ({ scope: 'tool', tool, args: null })),
  few<string | null>([null, 'read']).map((tool): Match => ({ scope: 'run', tool, args: null })),
);

/** One or two calls in turn, each with its usual answer: the loops that detectors look for. */
const loop = {
  calls: fc.oneof(
    anyCall.map((call) => [call]),
    fc.tuple(anyCall, anyCall),
    fc.constant([CALLS[5], CALLS[6]]),
  ),
  answers: fc.oneof(
    { weight: 3, arbitrary: anyAnswer.map((one) => [one]) },
    { weight: 1, arbitrary: fc.tuple(anyAnswer, anyAnswer) },
  ),
  times: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 2, max: 7 }) },
    { weight: 1, arbitrary: fc.integer({ min: 11, max: 14 }) },
  ),
  compacts: mostly<boolean>(false, true),
  manner,
};

type Fields<D extends Deed> = { readonly [F in keyof Deeds[D]]: fc.Arbitrary<Deeds[D][F]> };

function act<D extends Deed>(weight: number, deed: D, fields: Fields<D>) {
  const chosen = fc.tuple(fc.record(voice), fc.record(fields));
  const made = chosen.map(([speaker, own]) => ({ ...speaker, do: deed, ...own }) as Step);
  return { weight, arbitrary: made };
}

const document = fc.oneof(
  { weight: 5, arbitrary: policyDocument.map((made) => JSON.stringify(made)) },
  few(REFUSED),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  act(9, 'loop', loop),
  act(5, 'call', { call: anyCall, callId, manner }),
  act(5, 'answer', { nth: fc.nat(3), answer: anyAnswer, names: few(['args', 'callId', 'both'] as const) }),
  act(2, 'stray', { call: anyCall, answer: anyAnswer, callId, named: mostly<boolean>(true, false) }),
  act(2, 'again', { back: fc.nat(12), count: positive(3) }),
  act(1, 'lose', {}),
  act(1, 'riddle', {}),
  act(1, 'compact', { retry: mostly<boolean>(true, false) }),
  act(2, 'attach', {}),
  act(2, 'end', {}),
  act(2, 'lie', {
    call: anyCall,
    epochs: fc.integer({ min: -1, max: 1 }),
    sequence: fc.option(fc.nat(9), { freq: 4 }),
  }),
  act(3, 'release', { match, epochs: few([null, null, null, -1, 0, 1]) }),
  act(2, 'tweak', { patch }),
  act(2, 'policy', { document, stale: mostly<boolean>(false, true) }),
);

/** What matters to the guard, and little else. */
const guardStep: fc.Arbitrary<Step> = fc.oneof(
  act(6, 'loop', { ...loop, times: positive(3), compacts: fc.boolean() }),
  act(3, 'stray', { call: anyCall, answer: few(ANSWERS), callId, named: fc.constant(true) }),
  act(2, 'compact', { retry: fc.boolean() }),
  act(2, 'attach', {}),
  act(1, 'end', {}),
  act(2, 'lie', { call: anyCall, epochs: fc.constant(0), sequence: fc.nat(9) }),
  act(3, 'release', { match, epochs: fc.constant(null) }),
  act(4, 'tweak', { patch }),
);

const scenarioOf = (
  policy: fc.Arbitrary<PolicyDocument>,
  steps: fc.Arbitrary<Step>,
): fc.Arbitrary<Scenario> =>
  fc.record({ policy, steps: fc.array(steps, { minLength: 1, maxLength: 14, size: 'max' }) });

export const scenario: fc.Arbitrary<Scenario> = fc.oneof(
  { weight: 3, arbitrary: scenarioOf(policyDocument, step) },
  { weight: 1, arbitrary: scenarioOf(guardDocument, guardStep) },
);

/** How often a property is tried: more by `LOOPWARDEN_LAW_RUNS`. */
export const runs = (usual: number): { numRuns: number } => ({
  numRuns: Number(process.env.LOOPWARDEN_LAW_RUNS ?? usual),
});
