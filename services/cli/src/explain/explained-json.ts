import type { ReadEvent } from '@loopwarden/detection';
import { verdictJson } from '../recompute/json-report.ts';
import { timeText } from '../terminal/time-text.ts';
import type { Place, PlacedRecord } from './evidence.ts';
import type { EffectivePolicy, ExplainedVerdict, RecomputedVerdict } from './explain-verdict.ts';

/** The documented JSON form of an explanation. */
export function explainedJson(explained: ExplainedVerdict): object {
  const { partition, published, recomputed, state, differences, partial } = explained;
  const said =
    published === null
      ? null
      : {
          partition,
          offset: published.position,
          at: timeText(published.publishedAt),
          lineage: published.lineage,
          verdict: verdictJson(published.verdict),
        };
  return { state, partial, differences, published: said, recomputed: recomputedJson(recomputed, partition) };
}

function recomputedJson(recomputed: RecomputedVerdict | null, partition: number): object | null {
  if (recomputed === null) return null;
  const { verdict, trigger, window, run, policy } = recomputed;
  return {
    verdict: verdictJson(verdict),
    trigger: trigger === null ? null : triggerJson(trigger, partition),
    window: window.map((placed) => recordJson(placed, partition)),
    levels: run.levels,
    guarded: run.guarded,
    standing: run.standing,
    policy: policyJson(policy, partition),
  };
}

function recordJson({ record, call, result, counts }: PlacedRecord, partition: number): object {
  return { ...record, call: placeJson(call, partition), result: placeJson(result, partition), counts };
}

function policyJson({ revision, since, applied, settings }: EffectivePolicy, partition: number): object {
  const { actor = null, reason = null } = applied ?? {};
  const appliedAt = applied === null ? null : timeText(applied.at);
  return { revision, appliedAt, actor, reason, since: placeJson(since, partition), settings };
}

function placeJson(place: Place | null, partition: number): object | null {
  return place === null ? null : { partition, offset: place.offset, at: timeText(place.at) };
}

/** What tells an event from others; payloads stay in the log. */
function triggerJson({ event, ...place }: Place & { readonly event: ReadEvent }, partition: number): object {
  const { type, source, sequence } = event;
  return { ...placeJson(place, partition), type, source, sequence };
}
