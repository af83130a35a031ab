import { readFile } from 'node:fs/promises';
import { checkPolicy, compilePolicy, type Hint, type Issue } from '@loopwarden/detection';
import JSON5 from 'json5';
import { isObject, type JsonObject } from '../json-value.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';

/** A policy file as read, and everything that a check says of it. */
export interface CheckedPolicy {
  readonly document: JsonObject;
  readonly issues: readonly Issue[];
  readonly hints: readonly Hint[];
}

/** What replay goes by where no policy is named: detectors on, thresholds of the reference. */
export const WATCHING: JsonObject = { tools: { loopDetection: { enabled: true } } };

/** Top-level keys of a whole configuration. A file with none of them may be one block alone. */
const DOCUMENT_KEYS = ['tools', 'agents', 'loopwarden'];

/** Keys that tell a block that stands alone. */
const BLOCK_KEYS = [
  'enabled',
  'observe',
  'historySize',
  'warningThreshold',
  'criticalThreshold',
  'unknownToolThreshold',
  'globalCircuitBreakerThreshold',
  'detectors',
  'postCompactionGuard',
];

/** Reads a policy: an OpenClaw configuration, its `tools` object, or one `loopDetection` block, in JSON5. */
export async function readPolicyFile(path: string): Promise<Outcome<CheckedPolicy>> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null)
    return refuse('policy_unreadable', `The policy "${path}" cannot be read. Check the path.`);
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return refuse('policy_syntax', `The policy "${path}" is not JSON5: ${detail}.`);
  }
  if (!isObject(value)) return refuse('policy_shape', `The policy "${path}" must be an object.`);
  const document = asDocument(value);
  const { issues, hints } = checkPolicy(document);
  return succeed({
    document,
    issues,
    hints: issues.length > 0 ? [] : [...hints, ...offHints(document, hints)],
  });
}

/** Whoever names a policy wants to watch: a block under a mistyped name is none, and leaves the detectors off. */
function offHints(document: JsonObject, hints: readonly Hint[]): readonly Hint[] {
  const path = 'tools.loopDetection.enabled';
  if (hints.some((hint) => hint.path === path)) return [];
  if (compilePolicy(document).settingsFor(null).enabled === true) return [];
  const message = `The detectors are off for agents that this policy does not name; ${path} turns them on.`;
  return [{ path, message }];
}

function asDocument(value: JsonObject): JsonObject {
  if (Object.keys(value).length === 0 || DOCUMENT_KEYS.some((key) => key in value)) return value;
  if ('loopDetection' in value) return { tools: value };
  return BLOCK_KEYS.some((key) => key in value) ? { tools: { loopDetection: value } } : value;
}
