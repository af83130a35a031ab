import type { Match, Outcome } from '@loopwarden/detection';
import fc from 'fast-check';
import type { Block, PolicyDocument } from './oracle/settings.ts';
import { few, mostly } from './pick.ts';

/** A scenario says what is attempted; `themes.ts` invents them and `play.ts` makes events of them. */

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
export const ANSWERS = [answer('result', '1'), answer('result', '2'), answer('error', '1')];
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
export interface Deeds {
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
  /** Results of one call by so many sources, one after the other. */
  readonly crowd: { readonly call: Call; readonly answer: Answer; readonly count: number };
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

export const manner: fc.Arbitrary<Manner> = fc.record({
  obeys: mostly<boolean>(true, false),
  reports: mostly<boolean>(true, false),
  handsOut: mostly<boolean>(true, false),
  claims: mostly<number | null>(null, 0, 1, 5),
});

export const match: fc.Arbitrary<Match | null> = fc.oneof(
  fc.constant(null),
  anyCall.map(({ tool, args }): Match => ({ scope: 'signature', tool, args })),
  anyCall.map(({ tool }): Match => ({ scope: 'tool', tool, args: null })),
  few<string | null>([null, 'read']).map((tool): Match => ({ scope: 'run', tool, args: null })),
);

/** How often a property is tried: more by `LOOPWARDEN_LAW_RUNS`. */
export const runs = (usual: number): { numRuns: number } => ({
  numRuns: Number(process.env.LOOPWARDEN_LAW_RUNS ?? usual),
});
