import { findingsOf, levelOf } from './detectors.ts';
import type { Scope } from './event.ts';
import type { Finding } from './finding.ts';
import { messageOf } from './message.ts';
import { extrasOf, type RunState, type Slot, type Warned } from './run.ts';
import type { Policy, Settings } from './settings.ts';
import { ENGINE, type ReleaseReason, type Verdict } from './verdict.ts';

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
  const slots = run.extras?.slots;
  const verdicts: Verdict[] = [];
  if (slots !== undefined)
    for (const [key, slot] of goneFrom(slots, due)) verdicts.push(release(run, occasion, { key, slot }));
  for (const entry of due) {
    const slot = slots?.get(entry.key);
    if (slot === undefined || occasion.renew || differs(slot, entry))
      verdicts.push(publish(run, occasion, { entry, slot }));
  }
  return verdicts;
}

/** What stands and is no longer due, by sequence. */
function goneFrom(slots: ReadonlyMap<string, Slot>, due: readonly Due[]): [string, Slot][] {
  const gone: [string, Slot][] = [];
  for (const entry of slots) if (!due.some(({ key }) => key === entry[0])) gone.push(entry);
  return bySequence(gone);
}

function bySequence(slots: [string, Slot][]): [string, Slot][] {
  return slots.length < 2 ? slots : slots.sort(([, a], [, b]) => a.sequence - b.sequence);
}

/** Ends every slot, for the reason of the occasion. */
export function releaseAll(run: RunState, occasion: Occasion): Verdict[] {
  if (run.extras === null) return [];
  return bySequence([...run.extras.slots]).map(([key, slot]) => release(run, occasion, { key, slot }));
}

/** The release that ends whatever a gateway holds of the run with a sequence not above `ends`. */
export function expire(run: RunState, occasion: Occasion, ends: number): Verdict {
  const match = { scope: 'run', tool: null, args: null } as const;
  return verdictOf(run, occasion, { ...WITHDRAWN, match, ends, reason: 'expired' });
}

function dueOf(run: RunState, settings: Settings): readonly Due[] {
  if (run.ended) return [];
  const { abort = null, shadowAbort = null, warned } = run.extras ?? {};
  if (abort !== null) return [dueAbort(abort, false)];
  const due = shadowAbort === null ? [] : [dueAbort(shadowAbort, true)];
  for (const finding of findingsOf(run, settings)) {
    const level = finding.action === 'warn' ? levelOf(finding.count, settings.warningThreshold) : 0;
    if (level > 0 && level <= (warned?.get(finding.warningKey)?.level ?? 0)) continue;
    due.push({ key: slotKey(finding, settings.observe), finding, level, shadow: settings.observe });
  }
  return due.length < 2 ? due : due.sort(byPublication);
}

function dueAbort(finding: Finding, shadow: boolean): Due {
  return { key: slotKey(finding, shadow), finding, level: 0, shadow };
}

function slotKey(finding: Finding, shadow: boolean): string {
  return shadow ? `shadow ${finding.key}` : finding.key;
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
  { entry, slot }: { entry: Due; slot: Slot | undefined },
): Verdict {
  const { finding, level, shadow } = entry;
  const { action, match, detector, count, threshold, pairedTool } = finding;
  const sequence = run.sequence + 1;
  const warning = action === 'warn' ? identify(run, finding, sequence) : 0;
  const ends = slot?.sequence ?? null;
  if (slot === undefined) extrasOf(run).slots.set(entry.key, slotOf(entry, sequence));
  else restate(slot, entry, sequence);
  const said = { action, match, detector, count, threshold, level, warning, pairedTool, ends, shadow };
  return verdictOf(run, occasion, { ...said, reason: null, message: messageOf(finding) });
}

function slotOf({ finding, level, shadow }: Due, sequence: number): Slot {
  const { action, match, detector, count, threshold, warningKey, pairedTool } = finding;
  return { sequence, action, match, detector, count, threshold, level, warningKey, pairedTool, shadow };
}

/** In a loop mostly numbers change: what stays equal stays in memory, so that it is not moved again and again. */
function restate(slot: Slot, { finding, level }: Due, sequence: number): void {
  slot.sequence = sequence;
  slot.action = finding.action;
  slot.detector = finding.detector;
  slot.count = finding.count;
  slot.threshold = finding.threshold;
  slot.level = level;
  slot.pairedTool = finding.pairedTool;
  if (slot.warningKey !== finding.warningKey) slot.warningKey = finding.warningKey;
}

/** The identity of a warning: the sequence of the first verdict under its key. */
function identify(run: RunState, finding: Finding, sequence: number): number {
  const { warned } = extrasOf(run);
  const known: Warned = warned.get(finding.warningKey) ?? {
    signatures: finding.keySignatures,
    warning: 0,
    level: 0,
  };
  if (known.warning === 0) known.warning = sequence;
  warned.set(finding.warningKey, known);
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
  extrasOf(run).slots.delete(key);
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
    action: said.action,
    match: said.match,
    detector: said.detector,
    count: said.count,
    threshold: said.threshold,
    level: said.level,
    warning: said.warning,
    pairedTool: said.pairedTool,
    ends: said.ends,
    reason: said.reason,
    shadow: said.shadow,
    trigger: occasion.trigger,
    at: occasion.at,
    policyRevision: occasion.revision,
    profiles: occasion.policy.profilesVersion,
    engine: ENGINE,
    message: said.message,
  };
}
