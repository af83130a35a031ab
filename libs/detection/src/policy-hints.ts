import { isPlainObject, type PlainObject } from './plain-object.ts';
import { DEFAULT_SETTINGS, settingsOf } from './policy-defaults.ts';
import type { Hint } from './policy-issue.ts';
import { agentKey, globalBlock, overlay } from './policy-overlay.ts';
import { compileProfiles } from './profiles.ts';
import type { Settings } from './settings.ts';

/** Records of a window beyond which a run costs noticeable memory and time. */
const LARGE_HISTORY = 1_000;

/** What a policy without issues says but hardly means. Each block is looked at as it is in force, overlaid. */
export function hintsOf(document: PlainObject): Hint[] {
  const global = globalBlock(document);
  return [
    ...(global === undefined ? [] : blockHints(overlay(global, undefined), 'tools.loopDetection')),
    ...agentHints(document, global),
    ...profileHints(document),
  ];
}

function agentHints(document: PlainObject, global: PlainObject | undefined): Hint[] {
  const list = isPlainObject(document.agents) ? document.agents.list : undefined;
  const seen = new Set<string>();
  const hints: Hint[] = [];
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    if (!isPlainObject(entry) || typeof entry.id !== 'string') continue;
    const path = `agents.list.${index}`;
    const block = isPlainObject(entry.tools) ? entry.tools.loopDetection : undefined;
    const key = agentKey(entry.id);
    if (isPlainObject(block)) {
      hints.push(
        ...(seen.has(key)
          ? [{ path, message: `An earlier entry has the id "${key}" too; this one never applies.` }]
          : blockHints(overlay(global, block), `${path}.tools.loopDetection`)),
      );
    }
    seen.add(key);
  }
  return hints;
}

function blockHints(block: PlainObject, path: string): Hint[] {
  const settings = settingsOf(block);
  return [
    ...enabledHints(settings, path),
    ...raisedHints(block, settings, path),
    ...(settings.enabled === true ? reachHints(block, settings, path) : []),
    ...(settings.historySize > LARGE_HISTORY
      ? [
          {
            path: `${path}.historySize`,
            message: `A window of ${settings.historySize} records costs memory in every run; ${LARGE_HISTORY} is plenty.`,
          },
        ]
      : []),
  ];
}

function enabledHints({ enabled }: Settings, path: string): Hint[] {
  if (enabled !== undefined) return [];
  const message =
    'enabled is not set: the detectors are off, only the guard after a compaction is on. Set it to true or false.';
  return [{ path: `${path}.enabled`, message }];
}

function raisedHints(block: PlainObject, settings: Settings, path: string): Hint[] {
  const keys = ['criticalThreshold', 'globalCircuitBreakerThreshold'] as const;
  return keys.flatMap((key) => {
    const meant = typeof block[key] === 'number' ? block[key] : DEFAULT_SETTINGS[key];
    if (meant === settings[key]) return [];
    const {
      warningThreshold: warning,
      criticalThreshold: critical,
      globalCircuitBreakerThreshold: breaker,
    } = settings;
    const message = `${key} (${meant}) is raised to ${settings[key]}; in force are warning ${warning}, critical ${critical}, breaker ${breaker}.`;
    return [{ path: `${path}.${key}`, message }];
  });
}

/** A level that needs more records than the window holds is never reached. */
function reachHints(block: PlainObject, settings: Settings, path: string): Hint[] {
  const { historySize, warningThreshold, criticalThreshold, unknownToolThreshold } = settings;
  const breaker = settings.globalCircuitBreakerThreshold;
  const levels: [string, number][] = [
    ['warningThreshold', warningThreshold],
    ['criticalThreshold', criticalThreshold],
    ['unknownToolThreshold', unknownToolThreshold],
    ['globalCircuitBreakerThreshold', breaker],
  ];
  const hints = levels
    .filter(([, threshold]) => threshold > historySize)
    .map(([key, threshold]) => ({
      path: `${path}.historySize`,
      message: unreachable(key, threshold, historySize),
    }));
  const set = block.historySize !== undefined || block.globalCircuitBreakerThreshold !== undefined;
  if (set && breaker === historySize) {
    const message = `The breaker (${breaker}) needs every record of the window to be one call; give historySize more room.`;
    hints.push({ path: `${path}.historySize`, message });
  }
  return hints;
}

function unreachable(key: string, threshold: number, historySize: number): string {
  const alternating = key === 'warningThreshold' || key === 'criticalThreshold';
  const except = alternating && threshold - 1 <= historySize ? ', except by ping-pong' : '';
  return `${key} (${threshold}) is never reached${except}: historySize is ${historySize}. Raise it to ${threshold}.`;
}

function profileHints(document: PlainObject): Hint[] {
  const table = isPlainObject(document.loopwarden) ? document.loopwarden.profiles : undefined;
  if (!isPlainObject(table) || !isPlainObject(table.tools)) return [];
  const { aliases } = compileProfiles(table);
  return Object.keys(table.tools).flatMap((name) => {
    const target = aliases.get(name);
    const message = `"${name}" is an alias of "${target}": this profile is never looked at.`;
    return target === undefined ? [] : [{ path: `loopwarden.profiles.tools.${name}`, message }];
  });
}
