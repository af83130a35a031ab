import type { OpenedLog } from '../open-log.ts';
import { type FoldStart, foldStart, policyOf, revisionBefore } from './fold-start.ts';
import type { PartitionSpan, ReplaySettings } from './replay-settings.ts';
import { type Survey, surveyControl } from './survey.ts';

/** How far the clocks of two brokers may differ: a verdict is looked for from so long before its event. */
export const CLOCK_SLACK_MS = 60_000;

export interface PreparedReplay {
  readonly span: PartitionSpan;
  readonly start: FoldStart;
  readonly survey: Survey;
  /** The idle horizon at the beginning, milliseconds. */
  readonly idleMs: number;
}

/**
 * Finds out where the second judgement of a span begins: as far before it as a run may be silent, and, for
 * runs that are older, as far before their own beginning, which their verdicts name.
 */
export async function prepareReplay(
  opened: OpenedLog,
  span: PartitionSpan,
  { since, revisions }: ReplaySettings,
): Promise<PreparedReplay> {
  const { idleMs } = policyOf(revisionBefore(revisions, since));
  const { judged, oldestEpoch } = await surveyControl(opened, span, Math.max(0, since - CLOCK_SLACK_MS));
  const begin = Math.max(0, Math.min(since, oldestEpoch) - idleMs - 1);
  const start = await foldStart(opened, span, { since: begin, revisions });
  const { lineages } = await surveyControl(opened, span, Math.max(0, begin - CLOCK_SLACK_MS));
  return { span, start, survey: { lineages, judged, oldestEpoch }, idleMs };
}
