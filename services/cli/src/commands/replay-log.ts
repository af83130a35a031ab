import { compilePolicy, type Policy } from '@loopwarden/detection';
import { EXIT } from '../exit-code.ts';
import { operatorKeysOf } from '../operator/operator-keys.ts';
import { readPolicyToTry } from '../policy/policy-to-try.ts';
import { readRevisions } from '../policy/revisions.ts';
import { JsonReport } from '../recompute/json-report.ts';
import { replayLog } from '../recompute/replay-log.ts';
import { TextReport } from '../recompute/text-report.ts';
import { hasDifferences, isEmpty } from '../recompute/totals.ts';
import type { Output } from '../terminal/output.ts';
import { startEventProgress } from '../terminal/progress.ts';
import { timeOption } from '../terminal/time-option.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

export interface LogReplayFlags {
  readonly from?: string;
  readonly to?: string;
  readonly run?: string;
  readonly agent?: string;
  readonly policy?: string;
  readonly json?: boolean;
}

interface Wanted {
  readonly since: number;
  readonly until: number | null;
  /** The second policy; null: none. */
  readonly other: Policy | null;
}

/** Judges what the configured log holds again. Gives the exit status. */
export async function replayFromLog(flags: LogReplayFlags, output: Output): Promise<number> {
  return withLog({ options: { ...flags }, output }, (session) => replaySession(session, flags));
}

async function replaySession(session: Session, flags: LogReplayFlags): Promise<Outcome<number>> {
  const { config, opened, output } = session;
  const keys = operatorKeysOf(config);
  if (!keys.ok) return keys;
  const wanted = await wantedOf(flags, output);
  if (!wanted.ok) return wanted;
  const { since, until, other } = wanted.value;
  let progress = startEventProgress(0);
  const beneath = {
    ...output,
    out(line: string) {
      progress.clear();
      output.out(line);
    },
  };
  const report = flags.json ? new JsonReport(beneath) : new TextReport(beneath);
  const tally = await replayLog(opened, {
    settings: {
      since,
      other,
      runId: flags.run ?? null,
      agentId: flags.agent ?? null,
      revisions: await readRevisions(opened, keys.value),
      keys: keys.value,
      maxRuns: config.detector.maxRunsPerPartition,
    },
    until,
    listener: report,
    progress: {
      begin: (total) => {
        progress = startEventProgress(total);
      },
      add: (records) => progress.add(records),
    },
  }).finally(() => progress.stop());
  const nothing = tally.wanted === 0 && isEmpty(report.totals);
  const named = flags.run !== undefined || flags.agent !== undefined;
  // Of a time alone, records that cannot be read are worth a report.
  const missed = nothing && (named || tally.events === 0);
  if (!missed || flags.json) report.close(tally, { whatIf: other !== null });
  if (missed) return refuse('no_events', noEvents(flags));
  return succeed(hasDifferences(report.totals) ? EXIT.verdicts : EXIT.clean);
}

function noEvents({ run, agent, from, to }: LogReplayFlags): string {
  const whose = [
    run === undefined ? [] : `of run "${run}"`,
    agent === undefined ? [] : `of agent "${agent}"`,
  ];
  const when = [from === undefined ? [] : `from ${from}`, to === undefined ? [] : `before ${to}`];
  const mend = whose.flat().length === 0 ? 'Widen the time.' : 'Correct the name, or widen the time.';
  return `The log holds no event ${[whose, when].flat(2).join(' ')}. ${mend}`;
}

async function wantedOf({ from, to, policy }: LogReplayFlags, output: Output): Promise<Outcome<Wanted>> {
  const since = timeOption('--from', from);
  if (!since.ok) return since;
  const until = timeOption('--to', to);
  if (!until.ok) return until;
  if (since.value !== null && until.value !== null && since.value >= until.value) {
    return refuse('bad_time', '--from must be before --to.');
  }
  const document = policy === undefined ? succeed(null) : await readPolicyToTry(policy, output);
  if (!document.ok) return document;
  const other = document.value === null ? null : compilePolicy(document.value);
  return succeed({ since: since.value ?? 0, until: until.value, other });
}
