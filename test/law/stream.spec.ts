import { matchKey, type ReadEvent, type ReleaseReason, type Verdict } from '@loopwarden/detection';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectSame, PATIENCE_MS } from './compare.ts';
import { play } from './play.ts';
import { runs } from './scenario.ts';
import { showLog } from './show.ts';
import type { Played } from './stage.ts';
import { scenario } from './themes.ts';

interface Life {
  epoch: number;
  sequence: number;
  at: number;
  readonly slots: Map<string, Verdict>;
}

const slotOf = ({ match, shadow }: Verdict): string => `${matchKey(match)} ${shadow}`;
const ORDER = { run: 1, tool: 2, signature: 3 };
const isExpiry = (verdict: Verdict): boolean => verdict.reason === 'expired';

/** Where the verdict belongs among those of one event: releases, then by scope, then what heals. */
const place = (verdict: Verdict): number => {
  if (verdict.action !== 'release') return ORDER[verdict.match.scope];
  return isExpiry(verdict) ? 4 : 0;
};

/** The reasons that an event may give for releases. */
function reasonsOf(event: ReadEvent): readonly ReleaseReason[] {
  switch (event.type) {
    case 'policy':
      return ['policy'];
    case 'release':
      return ['operator'];
    case 'run_end':
      return ['run_ended'];
    case 'tool_call':
      return event.delivered.length > 0 ? ['cleared', 'delivered'] : ['cleared'];
    case 'tool_result':
      return event.verdict === null ? ['cleared', 'aborted'] : ['cleared', 'expired'];
    default:
      return ['cleared'];
  }
}

type Fault = string | false;

/** Everything that is wrong with a verdict, given what its run published before. */
function faultsOf(verdict: Verdict, life: Life, event: ReadEvent): Fault[] {
  const { epoch, sequence, trigger, at, ends } = verdict;
  const next = epoch === life.epoch ? life.sequence + 1 : 1;
  return [
    epoch < life.epoch && 'an epoch that went back',
    sequence !== next && `sequence ${sequence}, not ${next}`,
    event.type !== 'policy' && at < life.at && 'a time that went back',
    trigger.source !== event.source && 'a trigger that is another event',
    trigger.sequence !== event.sequence && 'a trigger that is another event',
    !isExpiry(verdict) && ends !== (life.slots.get(slotOf(verdict))?.sequence ?? null) && 'a wrong end',
    ...(verdict.action === 'release'
      ? releaseFaults(verdict, life, event)
      : findingFaults(verdict, life, event)),
  ];
}

function releaseFaults(verdict: Verdict, life: Life, event: ReadEvent): Fault[] {
  const { message, count, level, warning, pairedTool, reason, ends } = verdict;
  const ended = life.slots.get(slotOf(verdict)) ?? verdict;
  return [
    message !== '' && 'a release with a message',
    count + level + warning !== 0 && 'a release with numbers',
    pairedTool !== null && 'a release with a paired tool',
    ends === null && 'a release of nothing',
    !isExpiry(verdict) && ended === verdict && 'a release of what does not stand',
    ended.detector !== verdict.detector && 'a release by another detector',
    ended.threshold !== verdict.threshold && 'a release with another threshold',
    (reason === null || !reasonsOf(event).includes(reason)) && `the reason ${reason} for a ${event.type}`,
    isExpiry(verdict) && (verdict.detector !== '' || verdict.threshold !== 0) && 'an expiry of a detector',
  ];
}

const findingKeys = ['action', 'detector', 'count', 'level', 'warning', 'pairedTool'] as const;

function findingFaults(verdict: Verdict, life: Life, event: ReadEvent): Fault[] {
  const { message, reason, level, warning, sequence, action, match } = verdict;
  const old = life.slots.get(slotOf(verdict));
  const changed = old === undefined || findingKeys.some((key) => old[key] !== verdict[key]);
  const renews = event.type === 'attach' || (event.type === 'tool_result' && event.outcome === 'vetoed');
  return [
    message === '' && 'no message',
    reason !== null && 'a reason',
    (action === 'warn') !== (level > 0 && warning > 0) && 'a level that does not fit',
    warning > sequence && 'a warning that is not born yet',
    (action === 'abort') !== (match.scope === 'run') && 'an abort of less than the run',
    !changed && !renews && 'the same thing twice',
  ];
}

function settle(verdict: Verdict, life: Life, event: ReadEvent): void {
  const { epoch, sequence } = verdict;
  Object.assign(life, { epoch, sequence });
  if (event.type !== 'policy') life.at = verdict.at; // the time of a policy is not the run's own
  if (verdict.action !== 'release') life.slots.set(slotOf(verdict), verdict);
  else if (!isExpiry(verdict)) life.slots.delete(slotOf(verdict));
  else for (const [key, slot] of life.slots) if (slot.sequence <= (verdict.ends ?? 0)) life.slots.delete(key);
}

/** Goes through the verdicts of a log as a reader who knows nothing else. */
function faults(log: readonly Played[]): string[] {
  const lives = new Map<string, Life>();
  return log.flatMap(({ event, verdicts }) =>
    verdicts.flatMap((verdict, index) => {
      const life = lives.get(verdict.runId) ?? { epoch: 0, sequence: 0, at: 0, slots: new Map() };
      lives.set(verdict.runId, life);
      if (verdict.epoch > life.epoch) life.slots.clear();
      const found = faultsOf(verdict, life, event);
      const previous = verdicts[index - 1];
      if (previous?.runId === verdict.runId) found.push(orderFault(previous, verdict));
      settle(verdict, life, event);
      return found.filter((fault) => fault !== false).map((fault) => `${verdict.sequence}: ${fault}`);
    }),
  );
}

function orderFault(previous: Verdict, verdict: Verdict): Fault {
  if (place(previous) > place(verdict)) return 'out of order';
  const releases = place(previous) === 0 && place(verdict) === 0;
  return releases && (previous.ends ?? 0) >= (verdict.ends ?? 0) && 'releases out of order';
}

describe('the verdict stream', () => {
  it(
    'is well formed: numbers without gaps, ends that stood, reasons that fit, nothing twice',
    () => {
      fc.assert(
        fc.property(scenario, (made) => {
          const log = play(made);
          expectSame(faults(log), [], () => showLog(log));
        }),
        runs(400),
      );
    },
    PATIENCE_MS,
  );
});
