import { type Verdict, verdictId } from '@loopwarden/detection';
import { ACTION_STYLE, subjectOf } from '../replay/people.ts';
import type { Output } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';

/**
 * A verdict in one line for people: what was done, to what, why, and whose run it is.
 * @param id what names it; its own unless said otherwise
 */
export function verdictLine(verdict: Verdict, { paint }: Output, id = verdictId(verdict)): string {
  const { action, agentId, shadow } = verdict;
  const word = paint(ACTION_STYLE[action], action.toUpperCase().padEnd(7));
  const subject = paint('bold', printable(subjectOf(verdict), 48));
  const agent = agentId === null ? '' : ` of ${printable(agentId, 32)}`;
  const whose = paint('dim', `${printable(id, 72)}${agent}`);
  return `${word} ${subject}  ${shadow ? 'observed only, ' : ''}${reasonText(verdict)}  ${whose}`;
}

/** Why: what was counted, or why it no longer holds. */
export function reasonText({ action, detector, count, threshold, reason }: Verdict): string {
  if (action === 'release') return RELEASED[reason ?? 'cleared'];
  const limit = threshold > 0 ? `, limit ${threshold}` : '';
  return `${detector.replaceAll('_', ' ')} (${count} times${limit})`;
}

const RELEASED: Readonly<Record<NonNullable<Verdict['reason']>, string>> = {
  delivered: 'the warning was handed to the model',
  cleared: 'it no longer holds',
  policy: 'the policy changed',
  operator: 'an operator lifted it',
  aborted: 'the run is aborted instead',
  run_ended: 'the run ended',
  expired: 'it had ended before',
};
