import type { Match } from '@loopwarden/detection';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectSame, PATIENCE_MS } from './compare.ts';
import {
  catchUp,
  checkHealing,
  checkMissed,
  type Fleet,
  finish,
  type Gateway,
  leave,
  loseFrom,
  type Memory,
  openFleet,
  prepare,
  RUNS,
  takeTurn,
  witness,
} from './fleet.ts';
import { idleMs } from './oracle/settings.ts';
import { few, mostly } from './pick.ts';
import { policyDocument } from './policies.ts';
import { type Answer, anyAnswer, anyCall, type Call, type Manner, manner, match, runs } from './scenario.ts';
import { showLog } from './show.ts';
import { send } from './stage.ts';

type Deed = 'turns' | 'end' | 'leave' | 'reset' | 'release' | 'compact';

interface Step {
  readonly gateway: number;
  readonly run: string;
  readonly lag: number;
  readonly pause: 'short' | 'long' | 'horizon';
  readonly deed: Deed;
  readonly calls: readonly Call[];
  readonly answer: Answer;
  readonly times: number;
  readonly manner: Manner;
  readonly match: Match | null;
}

const stepWith = (lag: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({
    gateway: fc.nat(2),
    run: few([RUNS[0] ?? '', ...RUNS]),
    lag,
    pause: fc.oneof(
      { weight: 20, arbitrary: fc.constant('short' as const) },
      few(['long', 'horizon'] as const),
    ),
    deed: mostly<Deed>('turns', 'end', 'leave', 'reset', 'release', 'compact'),
    calls: fc.oneof(
      anyCall.map((call) => [call]),
      fc.tuple(anyCall, anyCall),
    ),
    answer: anyAnswer,
    times: fc.integer({ min: 1, max: 6 }),
    manner,
    match,
  });

const fleetOf = (lag: fc.Arbitrary<number>, ...memory: readonly Memory[]) =>
  fc.record({
    policy: policyDocument,
    memories: fc.array(few(memory), { minLength: 3, maxLength: 3 }),
    steps: fc.array(stepWith(lag), { minLength: 1, maxLength: 14, size: 'max' }),
  });

function turns(fleet: Fleet, gateway: Gateway, step: Step): void {
  const { run, calls, answer, times } = step;
  for (let turn = 0; turn < times * calls.length; turn += 1) {
    const call = calls[turn % calls.length];
    if (call === undefined) continue;
    fleet.stage.now += 1;
    prepare(fleet, gateway, run);
    catchUp(fleet, gateway, step.lag);
    checkMissed(fleet, gateway, run);
    takeTurn(fleet, gateway, { run, call, answer, manner: step.manner });
  }
}

function operatorReleases({ stage }: Fleet, run: string, match: Match | null): void {
  const said = { match, epoch: null, actor: 'ops', reason: 'looked at it' };
  send(stage, { run, source: 'op', agent: null, pause: 0 }, { type: 'release', ...said });
}

const ACTS: Readonly<Record<Deed, (fleet: Fleet, gateway: Gateway, step: Step) => void>> = {
  turns,
  end: (fleet, gateway, { run }) => finish(fleet, gateway, run),
  leave: (_, gateway, { run }) => leave(gateway, run),
  reset: loseFrom,
  release: (fleet, _, { run, match }) => operatorReleases(fleet, run, match),
  compact: ({ stage }, { name }, { run }) =>
    send(stage, { run, source: name, agent: 'alpha', pause: 0 }, { type: 'compaction', retry: true }),
};

interface Made {
  readonly policy: Parameters<typeof openFleet>[0];
  readonly memories: readonly Memory[];
  readonly steps: readonly Step[];
}

function playFleet({ policy, memories, steps }: Made): Fleet {
  const fleet = openFleet(policy, memories);
  const pauses = { short: 5, long: 15 * 60_000, horizon: idleMs(policy) + 1 };
  for (const step of steps) {
    const gateway = fleet.gateways[step.gateway];
    if (gateway === undefined) continue;
    fleet.stage.now += pauses[step.pause];
    ACTS[step.deed](fleet, gateway, step);
    witness(fleet);
  }
  return fleet;
}

/** What may make gateways hold what is gone: their lag alone, a long silence, releases that they miss. */
const ENDINGS = {
  none: () => undefined,
  silence: ({ stage }: Fleet) => {
    stage.now += idleMs(stage.document) + 1;
  },
  missed: (fleet: Fleet) => {
    for (const gateway of fleet.gateways) catchUp(fleet, gateway, 0);
    for (const run of RUNS) operatorReleases(fleet, run, null);
    for (const gateway of fleet.gateways) loseFrom(fleet, gateway);
  },
};
const ending = fc.constantFrom<keyof typeof ENDINGS>('none', 'silence', 'missed', 'missed');

const story =
  ({ stage }: Fleet) =>
  (): string =>
    showLog(stage.log);
const twice = (said: readonly string[]): string[] => said.filter((one, index) => said.indexOf(one) !== index);

const anyLag = fc.integer({ min: 0, max: 5 });
const noLag = fc.constant(0);

/**
 * A gateway that loses its position misses releases, which is lag: it may hold a warning that is handed out elsewhere
 * already, as a gateway may that a run moves to.
 */
function losingNothing<S extends { readonly deed: string }, M extends { readonly steps: readonly S[] }>(
  made: M,
): M {
  return { ...made, steps: made.steps.filter(({ deed }) => deed !== 'reset') };
}

describe('gateways behind the control topic', () => {
  it(
    'miss no block once its verdict has arrived, and see no gap that is none',
    () => {
      fc.assert(
        fc.property(fleetOf(anyLag, 'due', 'early', 'never'), (made) => {
          const fleet = playFleet(made);
          expectSame(fleet.faults, [], story(fleet));
        }),
        runs(120),
      );
    },
    PATIENCE_MS,
  );

  it(
    'hand out a level of a warning once each',
    () => {
      fc.assert(
        fc.property(fleetOf(anyLag, 'due', 'early', 'never'), (made) => {
          const fleet = playFleet(made);
          expectSame(twice(fleet.handedOut), [], story(fleet));
        }),
        runs(120),
      );
    },
    PATIENCE_MS,
  );

  it(
    'hand out a level of a warning once together, where none lags',
    () => {
      fc.assert(
        fc.property(fleetOf(noLag, 'due', 'never').map(losingNothing), (made) => {
          const fleet = playFleet(made);
          const together = fleet.handedOut.map((one) => one.slice(one.indexOf(' ')));
          expectSame(twice(together), [], story(fleet));
        }),
        runs(100),
      );
    },
    PATIENCE_MS,
  );

  it(
    'refuse one call at most by a verdict that no longer stands',
    () => {
      fc.assert(
        fc.property(fleetOf(anyLag, 'due', 'early', 'never'), ending, (made, end) => {
          const fleet = playFleet(made);
          ENDINGS[end](fleet);
          witness(fleet);
          for (const gateway of fleet.gateways) {
            catchUp(fleet, gateway, 0);
            for (const run of gateway.served.keys()) checkHealing(fleet, gateway, run);
          }
          expectSame(fleet.faults, [], story(fleet));
        }),
        runs(100),
      );
    },
    PATIENCE_MS,
  );
});
