import {
  type Explained,
  type ExplainedRun,
  explainPolicy,
  type ReadEvent,
  type Verdict,
} from '@loopwarden/detection';
import { partitionOf } from '@loopwarden/stream';
import type { OperatorKeys } from '@loopwarden/wire';
import type { OpenedLog } from '../open-log.ts';
import { type Revision, readRevisions } from '../policy/revisions.ts';
import type { SaidVerdict } from '../recompute/control-records.ts';
import { type DifferingField, differingFields } from '../recompute/differing-fields.ts';
import { Fold } from '../recompute/fold.ts';
import { foldStart, policyOf, revisionBefore } from '../recompute/fold-start.ts';
import { CLOCK_SLACK_MS } from '../recompute/prepare-replay.ts';
import { surveyControl } from '../recompute/survey.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { evidenceOf, type Place, type PlacedRecord } from './evidence.ts';
import { findPublished } from './find-published.ts';
import { judgeUntil, type Moment } from './judge-until.ts';
import type { VerdictName } from './verdict-name.ts';

/** Everything that can be said of one verdict. */
export interface ExplainedVerdict {
  readonly partition: number;
  readonly published: SaidVerdict | null;
  /** Null: the events that the log holds do not lead to it. */
  readonly recomputed: RecomputedVerdict | null;
  readonly state: 'equal' | 'different' | 'missing' | 'unexpected';
  readonly differences: readonly DifferingField[];
  /** The run may have begun before what the log still holds. */
  readonly partial: boolean;
}

export interface RecomputedVerdict {
  readonly verdict: Verdict;
  /** Null: a renewal. */
  readonly trigger: (Place & { readonly event: ReadEvent }) | null;
  readonly run: ExplainedRun;
  readonly window: readonly PlacedRecord[];
  readonly policy: EffectivePolicy;
}

export interface EffectivePolicy {
  /** −1: the defaults. */
  readonly revision: number;
  /** Where the policy took over in the run's partition; null: before what was read. */
  readonly since: Place | null;
  /** As it was applied; null: the defaults, or no longer in the log. */
  readonly applied: Revision | null;
  /** Every setting for the run's agent. */
  readonly settings: readonly Explained[];
}

/** Judges the run of a verdict again, reads what was published of it, and puts the two together. */
export async function explainVerdict(
  opened: OpenedLog,
  name: VerdictName,
  { keys, maxRuns }: { readonly keys: OperatorKeys | null; readonly maxRuns: number },
): Promise<Outcome<ExplainedVerdict>> {
  const { runId, epoch } = name;
  const { reader } = opened.log;
  const ranges = await reader.ranges(opened.topics.events);
  const partition = partitionOf(runId, ranges.length);
  const { start: logStart = 0, end = 0 } = ranges.find((range) => range.partition === partition) ?? {};
  const revisions = await readRevisions(opened, keys);
  const { idleMs } = policyOf(revisionBefore(revisions, epoch));
  // An epoch is named after its first event; what came before it within the horizon still counts.
  const since = Math.max(0, epoch - idleMs - 1);
  const published = await findPublished(opened, name, {
    partition,
    since: Math.max(0, epoch - CLOCK_SLACK_MS),
  });
  const span = { partition, start: logStart, first: end, end: (published?.trigger ?? end) + 1 };
  const start = await foldStart(opened, span, { since, revisions });
  const { lineages } = await surveyControl(opened, span, Math.max(0, since - CLOCK_SLACK_MS));
  const lineage = lineages.inCharge(start.from);
  const fold = new Fold(opened, { start, lineage, maxRuns, runId, keys });
  const moment = await judgeUntil(opened, name, { fold, start, lineages, partition, end });
  if (moment === null && published === null) return refuse('no_verdict', unknown(name));
  const partial = epoch - start.knownFrom <= idleMs;
  const recomputed = moment === null ? null : recomputedOf(moment, revisions);
  return succeed({ partition, published, recomputed, partial, ...compared(opened, published, moment) });
}

function compared(
  { codec }: OpenedLog,
  published: SaidVerdict | null,
  moment: Moment | null,
): Pick<ExplainedVerdict, 'state' | 'differences'> {
  if (published === null) return { state: 'missing', differences: [] };
  if (moment === null) return { state: 'unexpected', differences: [] };
  const said = codec.encodeVerdict(published.verdict);
  const equal = Buffer.compare(said, codec.encodeVerdict(moment.verdict)) === 0;
  if (equal) return { state: 'equal', differences: [] };
  return { state: 'different', differences: differingFields(published.verdict, moment.verdict) };
}

function recomputedOf(moment: Moment, revisions: readonly Revision[]): RecomputedVerdict {
  const { verdict, trigger, run, heard, policy } = moment;
  const applied = revisions.find(({ revision }) => revision === policy.revision) ?? null;
  const settings = explainPolicy(applied?.document ?? {}, run.agentId);
  const window = evidenceOf(verdict, moment.window, heard);
  return { verdict, trigger, run, window, policy: { ...policy, applied, settings } };
}

function unknown({ runId, epoch, sequence }: VerdictName): string {
  return `There is no verdict ${runId}/${epoch}.${sequence}: none was published, and the events that the log holds lead to none. See: loopwarden replay --run ${runId}`;
}
