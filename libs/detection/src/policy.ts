import { readDuration } from './duration.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import { checkPolicy } from './policy-check.ts';
import { DEFAULT_IDLE_MS, SHORTEST_IDLE_MS, settingsOf } from './policy-defaults.ts';
import { MAX_POLICY_LENGTH, type PolicyDocument } from './policy-document.ts';
import type { Hint, Issue } from './policy-issue.ts';
import { agentBlocks, agentKey, globalBlock, overlay } from './policy-overlay.ts';
import { compileProfiles } from './profiles.ts';
import type { Policy } from './settings.ts';

/**
 * A policy ready for use. Takes any document, also one that `checkPolicy` refuses: wrong values are read as
 * missing, thresholds in the wrong order are raised, as the reference does at run time.
 */
export function compilePolicy(document: unknown): Policy {
  const global = globalBlock(document);
  const everyone = settingsOf(overlay(global, undefined));
  const own = new Map(
    [...agentBlocks(document)].map(([agent, block]) => [agent, settingsOf(overlay(global, block))]),
  );
  const { idle, enforce, profiles: table } = loopwardenOf(document);
  const profiles = compileProfiles(table);
  return {
    settingsFor: (agentId) =>
      agentId === null || own.size === 0 ? everyone : (own.get(agentKey(agentId)) ?? everyone),
    idleMs: idleMs(idle),
    enforce: enforce !== false,
    profiles,
    profilesVersion: profiles.version,
  };
}

/** What holds where no policy was applied: detectors off, guard on. */
export const DEFAULT_POLICY: Policy = compilePolicy({});

/**
 * A policy that the log already holds; null: the text is no JSON object. Reads what `parsePolicy` refuses too,
 * as `compilePolicy` does: what a record means must not change when the check becomes stricter.
 */
export function readAppliedPolicy(text: string): Policy | null {
  try {
    const document: unknown = JSON.parse(text);
    return isPlainObject(document) ? compilePolicy(document) : null;
  } catch {
    return null;
  }
}

export type ParsedPolicy =
  | {
      readonly ok: true;
      readonly policy: Policy;
      readonly document: PolicyDocument;
      readonly hints: readonly Hint[];
    }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A policy from its JSON text, or every reason why it is refused. */
export function parsePolicy(text: string): ParsedPolicy {
  if (text.length > MAX_POLICY_LENGTH) {
    return refuse(
      `The policy has ${text.length} characters; it may have ${MAX_POLICY_LENGTH}. Leave out what is not about loops.`,
    );
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return refuse(`The policy is not JSON (${detail}). Take out comments and trailing commas.`);
  }
  const { issues, hints } = checkPolicy(document);
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, policy: compilePolicy(document), document: document as PolicyDocument, hints };
}

function refuse(message: string): ParsedPolicy {
  return { ok: false, issues: [{ path: '', kind: 'value', message }] };
}

function idleMs(idle: unknown): number {
  const duration = readDuration(idle);
  return duration !== null && duration > SHORTEST_IDLE_MS ? duration : DEFAULT_IDLE_MS;
}

function loopwardenOf(document: unknown): PlainObject {
  const loopwarden = isPlainObject(document) ? document.loopwarden : undefined;
  return isPlainObject(loopwarden) ? loopwarden : {};
}
