import { findingsOf, levelOf } from './detectors.ts';
import type { Scope } from './event.ts';
import type { Finding } from './finding.ts';
import { messageOf } from './message.ts';
import type { RunState, Slot, Warned } from './run.ts';
import type { Policy, Settings } from './settings.ts';
import { ENGINE, matchKey, type ReleaseReason, type Verdict } from './verdict.ts';

/** What judging one event of one run needs to know of its surroundings. */
export interface Occasion {
  readonly trigger: Verdict['trigger'];
  /** Time of the trigger. */
  readonly at: number;
  readonly policy: Policy;
  readonly revision: number;
  /** Why releases of this event happen, unless the window is the reason. */
  readonly reason: ReleaseReason;
  /** Publish everything that stands anew. */
  readonly renew: boolean;
}

/** A finding that should stand, with what makes it a verdict. */
interface Due {
  readonly key: string;
  readonly finding: Finding;
  readonly level: number;
  readonly shadow: boolean;
}

const SCOPE_ORDER: Readonly<Record<Scope, number>> = { run: 0, tool: 1, signature: 2 };

/**
 * Compares what should stand with what stands, and publishes the difference: releases by the sequence they
 * end, then run, tool and signature verdicts, each by oldest record (wire contract, section 7).
 */
export function settle(run: RunState, occasion: Occasion): Verdict[] {
  const due = dueOf(run, occasion.policy.settingsFor(run.agentId));
  const wanted = new Set(due.map(({ key }) => key));
  const gone = [...run.slots]
    .filter(([key]) => !wanted.has(key))
    .sort(([, a], [, b]) => a.sequence - b.sequence);
  const verdicts = gone.map(([key, slot]) => release(run, occasion, { key, slot }));
  for (const entry of due) {
    const slot = run.slots.get(entry.key);
    if (slot === undefined || occasion.renew || differs(slot, entry)) {
      verdicts.push(publish(run, occasion, { entry, ends: slot?.sequence ?? null }));
    }
  }
  return verdicts;
}

/** Ends every slot, for the reason of the occasion. */
export function releaseAll(run: RunState, occasion: Occasion): Verdict[] {
  const slots = [...run.slots].sort(([, a], [, b]) => a.sequence - b.sequence);
  return slots.map(([key, slot]) => release(run, occasion, { key, slot }));
}

/** The release that ends whatever a gateway holds of the run with a sequence not above `ends`. */
export function expire(run: RunState, occasion: Occasion, ends: number): Verdict {
  const match = { scope: 'run', tool: null, args: null } as const;
  return verdictOf(run, occasion, { ...WITHDRAWN, match, ends, reason: 'expired' });
}

function dueOf(run: RunState, settings: Settings): readonly Due[] {
  if (run.ended) return [];
  if (run.abort !== null) return [dueAbort(run.abort, false)];
  const due = run.shadowAbort === null ? [] : [dueAbort(run.shadowAbort, true)];
  for (const finding of findingsOf(run.window, settings)) {
    const level = finding.action === 'warn' ? levelOf(finding.count, settings.warningThreshold) : 0;
    if (level > 0 && level <= (run.warned.get(finding.warningKey)?.level ?? 0)) continue;
    due.push({ key: slotKey(finding, settings.observe), finding, level, shadow: settings.observe });
  }
  return due.sort(byPublication);
}

function dueAbort(finding: Finding, shadow: boolean): Due {
  return { key: slotKey(finding, shadow), finding, level: 0, shadow };
}

function slotKey(finding: Finding, shadow: boolean): string {
  return (shadow ? 'shadow ' : '') + matchKey(finding.match);
}

function byPublication(a: Due, b: Due): number {
  const scopes = SCOPE_ORDER[a.finding.match.scope] - SCOPE_ORDER[b.finding.match.scope];
  return scopes === 0 ? a.finding.oldest - b.finding.oldest : scopes;
}

function differs(slot: Slot, { finding, level }: Due): boolean {
  return (
    slot.action !== finding.action ||
    slot.detector !== finding.detector ||
    slot.count !== finding.count ||
    slot.level !== level ||
    slot.warningKey !== finding.warningKey ||
    slot.pairedTool !== finding.pairedTool
  );
}

function publish(
  run: RunState,
  occasion: Occasion,
  { entry, ends }: { entry: Due; ends: number | null },
): Verdict {
  const { finding, level, shadow } = entry;
  const { action, match, detector, count, threshold, warningKey, pairedTool } = finding;
  const sequence = run.sequence + 1;
  const warning = action === 'warn' ? identify(run, finding, sequence) : 0;
  run.slots.set(entry.key, {
    sequence,
    action,
    match,
    detector,
    count,
    threshold,
    level,
    warningKey,
    pairedTool,
    shadow,
  });
  const said = { action, match, detector, count, threshold, level, warning, pairedTool, ends, shadow };
  return verdictOf(run, occasion, { ...said, reason: null, message: messageOf(finding) });
}

/** The identity of a warning: the sequence of the first verdict under its key. */
function identify(run: RunState, finding: Finding, sequence: number): number {
  const known: Warned = run.warned.get(finding.warningKey) ?? {
    signatures: finding.keySignatures,
    warning: 0,
    level: 0,
  };
  if (known.warning === 0) known.warning = sequence;
  run.warned.set(finding.warningKey, known);
  return known.warning;
}

const WITHDRAWN = {
  action: 'release',
  detector: '',
  count: 0,
  threshold: 0,
  level: 0,
  warning: 0,
  pairedTool: null,
  shadow: false,
  message: '',
} as const;

function release(run: RunState, occasion: Occasion, { key, slot }: { key: string; slot: Slot }): Verdict {
  run.slots.delete(key);
  const { match, detector, threshold, shadow, sequence } = slot;
  return verdictOf(run, occasion, {
    ...WITHDRAWN,
    match,
    detector,
    threshold,
    shadow,
    ends: sequence,
    reason: occasion.reason,
  });
}

type Said = Pick<
  Verdict,
  | 'action'
  | 'match'
  | 'detector'
  | 'count'
  | 'threshold'
  | 'level'
  | 'warning'
  | 'pairedTool'
  | 'ends'
  | 'reason'
  | 'shadow'
  | 'message'
>;

function verdictOf(run: RunState, occasion: Occasion, said: Said): Verdict {
  run.sequence += 1;
  return {
    runId: run.runId,
    agentId: run.agentId,
    sessionId: run.sessionId,
    gatewayId: run.gatewayId,
    epoch: run.epoch,
    sequence: run.sequence,
    ...said,
    trigger: occasion.trigger,
    at: occasion.at,
    policyRevision: occasion.revision,
    profiles: occasion.policy.profilesVersion,
    engine: ENGINE,
  };
}
