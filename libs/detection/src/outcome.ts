import type { RawCall } from './call.ts';
import { canonical, digest, type Hash } from './canonical.ts';
import type { Digest, Outcome } from './event.ts';
import { missingTool } from './missing-tool.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import { normaliseTool, type Profiles, profileOf } from './profiles.ts';
import { isSendNoise } from './send-noise.ts';
import { covers, type ResultParts, type ToolProfile } from './tool-profile.ts';

/** What a call brought back. Anything but an undefined `error` makes it an error, whatever the result. */
export interface RawOutcome extends RawCall {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** An outcome as the log knows it. */
export interface OutcomeIdentity {
  readonly outcome: Outcome;
  /** Null for `none` and `vetoed`. */
  readonly digest: Digest | null;
  readonly missingTool: string | null;
}

const NONE: OutcomeIdentity = { outcome: 'none', digest: null, missingTool: null };
const VETOED: OutcomeIdentity = { outcome: 'vetoed', digest: null, missingTool: null };

/**
 * The identity of an outcome: equal outcomes have the same `outcome` and `digest`. Takes the tool's raw or
 * normalised name and any values, and never throws.
 */
export function describeOutcome(raw: RawOutcome, profiles: Profiles, hash: Hash): OutcomeIdentity {
  if (raw.error !== undefined) {
    const text = errorText(raw.error);
    return { outcome: 'error', digest: digest(hash, canonical(text)), missingTool: missingTool(text) };
  }
  if (raw.result === undefined) return NONE;
  const profile = profileOf(normaliseTool(raw.tool, profiles), profiles);
  const text = resultText(raw, profile);
  return text === null ? VETOED : { outcome: 'result', digest: digest(hash, text), missingTool: null };
}

/** What an error says: the text that errors are compared by. */
function errorText(error: unknown): string {
  try {
    if (error instanceof Error) {
      const text: unknown = error.message || error.name; // a library may have set anything
      return typeof text === 'string' ? text : canonical(text);
    }
  } catch {
    return canonical(error);
  }
  switch (typeof error) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(error);
    default:
      return canonical(error);
  }
}

/** The text that results are compared by; null: the result reports a refused call. */
function resultText(raw: RawOutcome, profile: ToolProfile): string | null {
  try {
    if (!isPlainObject(raw.result)) return canonical(raw.result);
    const details = isPlainObject(raw.result.details) ? raw.result.details : {};
    if (details.status === 'blocked' && details.deniedReason === 'tool-loop') return null;
    return comparedText({ args: raw.args, details, text: contentText(raw.result.content) }, profile);
  } catch {
    return canonical(raw.result); // a result that cannot be taken apart is compared as a whole
  }
}

function comparedText(parts: ResultParts, profile: ToolProfile): string {
  const reduced = profile.reduce(parts);
  if (reduced !== undefined) return canonical(reduced);
  const { details, text } = parts;
  if (covers(profile.sends, parts.args)) {
    return canonical(details, (key, owner) => profile.volatile.has(key) || isSendNoise(key, owner));
  }
  const compared: PlainObject = profile.ignoreText ? { details } : { details, text };
  return canonical(compared, (key, owner) => owner !== compared && profile.volatile.has(key));
}

/** The text of every content part that has one, whatever its type, a line each. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  const lines: string[] = [];
  for (const part of content) {
    if (isPlainObject(part) && typeof part.type === 'string' && typeof part.text === 'string') {
      lines.push(part.text);
    }
  }
  return lines.join('\n').trim();
}
