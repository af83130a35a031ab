import { isPlainObject, type PlainObject } from './plain-object.ts';
import type { Settings } from './settings.ts';

/** The numbers of OpenClaw 2026.7. */
export const DEFAULT_SETTINGS: Settings = {
  enabled: undefined,
  observe: false,
  historySize: 30,
  warningThreshold: 10,
  unknownToolThreshold: 10,
  criticalThreshold: 20,
  globalCircuitBreakerThreshold: 30,
  genericRepeat: true,
  knownPollNoProgress: true,
  pingPong: true,
  windowSize: 3,
};

/** Silence after which a run's next event opens a new epoch: a day. */
export const DEFAULT_IDLE_MS = 86_400_000;

/** A horizon is longer than this: gateways forget a run one minute earlier than detectors do. */
export const SHORTEST_IDLE_MS = 60_000;

/** Whether a value can stand for a count or a size. */
export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/**
 * What a block means once overlaid: a missing or wrong value is its default, then critical is raised above
 * warning, and the breaker above critical.
 */
export function settingsOf(block: PlainObject): Settings {
  const number = (key: 'historySize' | 'warningThreshold' | 'unknownToolThreshold'): number =>
    isPositiveInteger(block[key]) ? block[key] : DEFAULT_SETTINGS[key];
  const warningThreshold = number('warningThreshold');
  const criticalThreshold = above(warningThreshold, block, 'criticalThreshold');
  return {
    enabled: typeof block.enabled === 'boolean' ? block.enabled : undefined,
    observe: block.observe === true,
    historySize: number('historySize'),
    warningThreshold,
    unknownToolThreshold: number('unknownToolThreshold'),
    criticalThreshold,
    globalCircuitBreakerThreshold: above(criticalThreshold, block, 'globalCircuitBreakerThreshold'),
    ...detectorsOf(block.detectors),
    windowSize: windowSizeOf(block.postCompactionGuard),
  };
}

type Ordered = 'criticalThreshold' | 'globalCircuitBreakerThreshold';

function above(lower: number, block: PlainObject, key: Ordered): number {
  const value = block[key];
  return Math.max(isPositiveInteger(value) ? value : DEFAULT_SETTINGS[key], lower + 1);
}

function detectorsOf(value: unknown): Pick<Settings, 'genericRepeat' | 'knownPollNoProgress' | 'pingPong'> {
  const detectors = isPlainObject(value) ? value : {};
  return {
    genericRepeat: detectors.genericRepeat !== false,
    knownPollNoProgress: detectors.knownPollNoProgress !== false,
    pingPong: detectors.pingPong !== false,
  };
}

function windowSizeOf(value: unknown): number {
  const size = isPlainObject(value) ? value.windowSize : undefined;
  return isPositiveInteger(size) ? size : DEFAULT_SETTINGS.windowSize;
}
