import { decide, forgetRun, hear, openStandings, type Verdict } from '@loopwarden/detection';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectSame, PATIENCE_MS } from './compare.ts';
import { type Body, openOracle, type Ruling, rule, take } from './oracle/oracle.ts';
import { play } from './play.ts';
import { CALLS, runs, type Scenario } from './scenario.ts';
import { showLog, showVerdict } from './show.ts';
import { HEARD, type Played } from './stage.ts';
import { scenario } from './themes.ts';

const NEVER_CALLED = { tool: 'read', args: 'f'.repeat(32) };
const RUNS = ['r1', 'r2', 'r3', 'never'];

/** Goes through a log with the oracle and a gateway that hears everything; `check` looks after every event. */
function follow({ policy }: Scenario, log: readonly Played[], check: (at: Watch) => void): void {
  const oracle = openOracle(policy, 0);
  const standings = openStandings();
  for (const [index, { event, at, verdicts }] of log.entries()) {
    const before = new Map(oracle.runs);
    const bodies = take(oracle, event, at);
    for (const [runId, run] of before) if (oracle.runs.get(runId) !== run) forgetRun(standings, runId);
    for (const verdict of verdicts) hear(standings, verdict, HEARD);
    check({ oracle, standings, bodies, verdicts, past: log.slice(0, index + 1) });
  }
}

interface Watch {
  readonly oracle: ReturnType<typeof openOracle>;
  readonly standings: ReturnType<typeof openStandings>;
  readonly bodies: readonly Body[];
  readonly verdicts: readonly Verdict[];
  readonly past: readonly Played[];
}

const ruled = (verdict: Verdict | null): Ruling => {
  if (verdict === null || verdict.action === 'release')
    return { action: 'allow', detector: '', count: 0, pairedTool: null, level: 0 };
  const { action, detector, count, pairedTool, level } = verdict;
  return { action, detector, count, pairedTool, level };
};

function checkDecisions({ oracle, standings, past }: Watch): void {
  for (const runId of RUNS) {
    for (const { tool, args } of [...CALLS, NEVER_CALLED]) {
      const { verdict, shadow, action } = decide(standings, { runId, tool, args });
      const asked = { real: { ...ruled(verdict), action }, shadow: ruled(shadow) };
      const signature = { tool, args };
      const real = rule(oracle, runId, { signature, shadow: false });
      const told = { real, shadow: rule(oracle, runId, { signature, shadow: true }) };
      expectSame(asked, told, () => `${runId} ${tool}/${args[0]} after\n${showLog(past)}`);
    }
  }
}

/** The part of a verdict that the oracle speaks of. */
function bodyOf(verdict: Verdict): Body {
  const { runId, epoch, sequence, trigger, policyRevision, ...rest } = verdict;
  const { action, match, detector, count, threshold, level, warning, pairedTool, shadow, ends, reason } =
    rest;
  const said = { action, match, detector, count, threshold, level, warning, pairedTool, shadow };
  return { runId, epoch, sequence, trigger, policyRevision, ...said, ends, reason };
}

/** The pages order the verdicts of one run; which run comes first is free. */
const byRun = (bodies: readonly Body[]): Body[] =>
  bodies.toSorted((a, b) => (a.runId < b.runId ? -1 : Number(a.runId > b.runId)));

describe('the law of standing verdicts', () => {
  it(
    'what a gateway decides from the verdicts that stand is what the run state says',
    () => {
      fc.assert(
        fc.property(scenario, (made) => follow(made, play(made), checkDecisions)),
        runs(300),
      );
    },
    PATIENCE_MS,
  );

  it(
    'verdicts are those of the plain evaluation, number by number',
    () => {
      fc.assert(
        fc.property(scenario, (made) =>
          follow(made, play(made), ({ bodies, verdicts, past }) => {
            const told = byRun(bodies);
            const story = (): string =>
              `expected\n${told.map(showVerdict).join('\n')}\nafter\n${showLog(past)}`;
            expectSame(byRun(verdicts.map(bodyOf)), told, story);
          }),
        ),
        runs(300),
      );
    },
    PATIENCE_MS,
  );
});
