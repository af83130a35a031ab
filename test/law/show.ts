import type { Match, ReadEvent, Ref, Verdict } from '@loopwarden/detection';
import type { Body } from './oracle/oracle.ts';
import type { Played } from './stage.ts';

/** Compact pictures of logs, for counterexamples that a person can read. */

const short = (digest: string | null): string => digest?.slice(0, 1) ?? '–';
const ref = (verdict: Ref | null): string =>
  verdict === null ? '' : ` by ${verdict.epoch}.${verdict.sequence}`;
const where = (match: Match | null): string =>
  match === null
    ? 'all'
    : `${match.scope} ${match.tool ?? ''}${match.args === null ? '' : `/${short(match.args)}`}`;

function own(event: ReadEvent): string {
  switch (event.type) {
    case 'tool_call': {
      const delivered = event.delivered.map(({ warning, level }) => ` hands out w${warning} level ${level}`);
      return `call ${event.tool}/${short(event.args)} ${event.callId ?? ''}${delivered.join('')}`;
    }
    case 'tool_result': {
      const missing = event.missingTool === null ? '' : ` missing ${event.missingTool}`;
      const what = `${event.outcome} ${short(event.digest)}${missing}${ref(event.verdict)}`;
      return `result ${event.tool}/${short(event.args)} ${event.callId ?? ''} = ${what}`;
    }
    case 'compaction':
      return event.retry ? 'compaction' : 'compaction without retry';
    case 'release':
      return `operator releases ${where(event.match)} of epoch ${event.epoch}`;
    case 'policy':
      return `policy ${event.revision} ${event.policy}`;
    default:
      return event.type;
  }
}

/** One event on one line. */
export const showEvent = ({ event, at }: Pick<Played, 'event' | 'at'>): string =>
  `${at % 1_000_000_000} ${event.runId} ${event.source}#${event.sequence} (${event.agentId ?? '–'}) ${own(event)}`;

/** One verdict on one line. */
export function showVerdict(verdict: Body | Verdict): string {
  const { runId, epoch, sequence, action, match, detector, count, level, warning, ends, reason, shadow } =
    verdict;
  const rest = [
    level > 0 ? `level ${level} w${warning}` : '',
    verdict.pairedTool === null ? '' : `with ${verdict.pairedTool}`,
    ends === null ? '' : `ends ${ends}`,
    reason ?? '',
    shadow ? 'shadow' : '',
  ];
  const id = `${runId}/${epoch % 1_000_000_000}.${sequence}`;
  return [`${id} ${action} ${where(match)} ${detector} ${count}`, ...rest.filter(Boolean)].join(' ');
}

/** A log with its verdicts. */
export const showLog = (log: readonly Played[]): string =>
  log
    .map((one) => [showEvent(one), ...one.verdicts.map((v) => `      → ${showVerdict(v)}`)].join('\n'))
    .join('\n');
