import fc from 'fast-check';
import type { PolicyDocument } from './oracle/settings.ts';
import { few, mostly, positive } from './pick.ts';
import { guardDocument, patch, patientDocument, policyDocument, REFUSED } from './policies.ts';
import {
  ANSWERS,
  anyAnswer,
  anyCall,
  CALLS,
  type Deed,
  type Deeds,
  manner,
  match,
  type Scenario,
  type Step,
  type Voice,
} from './scenario.ts';

/** Small worlds, biased to loops. Each theme dwells on what the others meet rarely. */

type Voices = { readonly [F in keyof Voice]: fc.Arbitrary<Voice[F]> };
type Fields<D extends Deed> = { readonly [F in keyof Deeds[D]]: fc.Arbitrary<Deeds[D][F]> };
interface Weighted {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<(voice: Voice) => Step>;
}

function act<D extends Deed>(weight: number, deed: D, fields: Fields<D>): Weighted {
  const arbitrary = fc
    .record(fields)
    .map((own) => (voice: Voice) => ({ ...voice, do: deed, ...own }) as Step);
  return { weight, arbitrary };
}

interface Theme {
  readonly policy: fc.Arbitrary<PolicyDocument>;
  readonly voices: Voices;
  readonly acts: readonly Weighted[];
}

function themed({ policy, voices, acts }: Theme): fc.Arbitrary<Scenario> {
  const step = fc.tuple(fc.record(voices), fc.oneof(...acts)).map(([voice, make]) => make(voice));
  return fc.record({ policy, steps: fc.array(step, { minLength: 1, maxLength: 14, size: 'max' }) });
}

const SOURCES = ['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8', 'g9'] as const;
const steps = { weight: 30, arbitrary: fc.integer({ min: 0, max: 400 }) };
const stepsBack = fc.integer({ min: -900, max: -1 });
const besideHorizon = fc.record({ horizon: few([-60_000, -1, 0, 1, 70_000]) });

const voices: Voices = {
  run: few(['r1', 'r1', 'r1', 'r1', 'r2', 'r3']),
  source: mostly('g0', ...SOURCES),
  agent: mostly<string | null>('alpha', 'beta', null),
  pause: fc.oneof(steps, { weight: 2, arbitrary: stepsBack }, { weight: 1, arbitrary: besideHorizon }),
};

const callId = few<string | null>([null, 'same', 'other']);

/** One or two calls in turn, each with its usual answer: the loops that detectors look for. */
const loop: Fields<'loop'> = {
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

const document = fc.oneof(
  { weight: 5, arbitrary: policyDocument.map((made) => JSON.stringify(made)) },
  few(REFUSED),
);
const names = few(['args', 'callId', 'both'] as const);
const lie = {
  call: anyCall,
  epochs: fc.integer({ min: -1, max: 1 }),
  sequence: fc.option(fc.nat(9), { freq: 4 }),
};

const everything: Theme = {
  policy: policyDocument,
  voices,
  acts: [
    act(9, 'loop', loop),
    act(5, 'call', { call: anyCall, callId, manner }),
    act(5, 'answer', { nth: fc.nat(3), answer: anyAnswer, names }),
    act(2, 'stray', { call: anyCall, answer: anyAnswer, callId, named: mostly<boolean>(true, false) }),
    act(2, 'again', { back: fc.nat(12), count: positive(3) }),
    act(1, 'lose', {}),
    act(1, 'riddle', {}),
    act(1, 'compact', { retry: mostly<boolean>(true, false) }),
    act(2, 'attach', {}),
    act(2, 'end', {}),
    act(2, 'lie', lie),
    act(3, 'release', { match, epochs: few([null, null, null, -1, 0, 1]) }),
    act(2, 'tweak', { patch }),
    act(2, 'policy', { document, stale: mostly<boolean>(false, true) }),
  ],
};

const one = anyCall.map((call) => [call]);

/** Compactions, and what lifts or outlives an abort. */
const guard: Theme = {
  policy: guardDocument,
  voices,
  acts: [
    act(6, 'loop', {
      ...loop,
      calls: one,
      answers: few(ANSWERS).map((same) => [same]),
      times: positive(3),
      compacts: fc.boolean(),
    }),
    act(3, 'stray', { call: anyCall, answer: few(ANSWERS), callId, named: fc.constant(true) }),
    act(2, 'compact', { retry: fc.boolean() }),
    act(1, 'attach', {}),
    act(2, 'end', {}),
    act(1, 'lie', lie),
    act(3, 'release', { match, epochs: fc.constant(null) }),
    act(4, 'tweak', { patch }),
  ],
};

const fewCalls = few([CALLS[0], CALLS[0], CALLS[1], CALLS[3]]);

/** Many calls under way at once, answered in any order. */
const parallel: Theme = {
  policy: policyDocument,
  voices: { ...voices, run: fc.constant('r1') },
  acts: [
    act(6, 'call', { call: fewCalls, callId, manner }),
    act(8, 'answer', { nth: fc.nat(5), answer: few(ANSWERS), names }),
    act(1, 'stray', { call: fewCalls, answer: few(ANSWERS), callId, named: fc.boolean() }),
    act(1, 'loop', { ...loop, calls: fewCalls.map((call) => [call]) }),
  ],
};

/** Redelivery by many sources, over ends and silences. */
const delivery: Theme = {
  policy: policyDocument,
  voices: {
    run: few(['r1', 'r1', 'r2']),
    source: few(SOURCES),
    agent: fc.constant('alpha'),
    pause: fc.oneof(
      { ...steps, weight: 8 },
      { weight: 2, arbitrary: stepsBack },
      { weight: 1, arbitrary: besideHorizon },
    ),
  },
  acts: [
    act(5, 'again', { back: fc.nat(25), count: positive(2) }),
    act(3, 'crowd', { call: fewCalls, answer: few(ANSWERS), count: fc.integer({ min: 7, max: 10 }) }),
    act(4, 'call', { call: fewCalls, callId, manner }),
    act(4, 'stray', { call: fewCalls, answer: few(ANSWERS), callId, named: fc.constant(true) }),
    act(2, 'loop', { ...loop, times: positive(3) }),
    act(2, 'end', {}),
    act(1, 'attach', {}),
    act(1, 'riddle', {}),
    act(1, 'lie', lie),
  ],
};

const careless = manner.map((made) => ({ ...made, obeys: false, handsOut: false, claims: made.claims }));

/** Long windows: warnings that come again, are not handed out, and change their key or level. */
const patience: Theme = {
  policy: patientDocument,
  voices: { ...voices, run: fc.constant('r1') },
  acts: [
    act(4, 'loop', {
      ...loop,
      calls: fewCalls.map((call) => [call]),
      times: few([2, 10, 11, 12]),
      manner: fc.oneof(manner, careless),
    }),
    act(3, 'stray', {
      call: few([CALLS[3], CALLS[0]]),
      answer: few(ANSWERS),
      callId,
      named: fc.constant(true),
    }),
    act(2, 'call', { call: fewCalls, callId, manner }),
    act(1, 'end', {}),
    act(3, 'tweak', { patch: fc.record({ warningThreshold: positive(3) }) }),
  ],
};

export const scenario: fc.Arbitrary<Scenario> = fc.oneof(
  { weight: 3, arbitrary: themed(everything) },
  ...[guard, parallel, delivery, patience].map((theme) => ({ weight: 1, arbitrary: themed(theme) })),
);
