import { isPlainObject, type PlainObject } from './plain-object.ts';
import { compilePolicy } from './policy.ts';
import { DEFAULT_SETTINGS, isPositiveInteger } from './policy-defaults.ts';
import { agentBlocks, agentKey, globalBlock } from './policy-overlay.ts';
import type { Settings } from './settings.ts';

/** Where the value in force comes from; `clamped`: raised to keep the thresholds in order. */
type SettingSource = 'agent' | 'global' | 'default' | 'clamped';

export interface Explained {
  /** As in the block: `detectors.pingPong`, `postCompactionGuard.windowSize`; or `loopwarden.idle` and the like. */
  readonly setting: string;
  /** Null: unset, which only `enabled` can be. */
  readonly value: boolean | number | string | null;
  readonly source: SettingSource;
  readonly note?: string;
}

const SETTINGS: readonly (readonly [string, keyof Settings])[] = [
  ['enabled', 'enabled'],
  ['observe', 'observe'],
  ['historySize', 'historySize'],
  ['warningThreshold', 'warningThreshold'],
  ['unknownToolThreshold', 'unknownToolThreshold'],
  ['criticalThreshold', 'criticalThreshold'],
  ['globalCircuitBreakerThreshold', 'globalCircuitBreakerThreshold'],
  ['detectors.genericRepeat', 'genericRepeat'],
  ['detectors.knownPollNoProgress', 'knownPollNoProgress'],
  ['detectors.pingPong', 'pingPong'],
  ['postCompactionGuard.windowSize', 'windowSize'],
];

/** Every setting in force for an agent (null: any that has no block) and where it comes from. */
export function explainPolicy(document: unknown, agentId: string | null): Explained[] {
  const policy = compilePolicy(document);
  const settings = policy.settingsFor(agentId);
  const blocks = {
    agent: agentId === null ? undefined : agentBlocks(document).get(agentKey(agentId)),
    global: globalBlock(document),
  };
  return [
    ...SETTINGS.map(([setting, key]) => explainSetting({ setting, key }, settings, blocks)),
    ...explainLoopwarden(document),
  ];
}

interface Blocks {
  readonly agent: PlainObject | undefined;
  readonly global: PlainObject | undefined;
}

function explainSetting(
  { setting, key }: { readonly setting: string; readonly key: keyof Settings },
  inForce: Settings,
  blocks: Blocks,
): Explained {
  const value = inForce[key] ?? null;
  const source = (['agent', 'global'] as const).find((name) => fieldAt(blocks[name], setting) !== undefined);
  const written = source === undefined ? undefined : fieldAt(blocks[source], setting);
  if (written === value) return { setting, value, source: source ?? 'default' };
  if (value === null) return { setting, value, source: 'default', note: 'not set: detectors off, guard on' };
  const meant = isPositiveInteger(written) ? written : DEFAULT_SETTINGS[key];
  if (meant !== value) {
    const lower = key === 'criticalThreshold' ? 'warningThreshold' : 'criticalThreshold';
    return {
      setting,
      value,
      source: 'clamped',
      note: `raised from ${meant}, above ${lower} (${inForce[lower]})`,
    };
  }
  return source === undefined
    ? { setting, value, source: 'default' }
    : {
        setting,
        value,
        source: 'default',
        note: `the ${source} block has ${JSON.stringify(written)}, which is no value for it`,
      };
}

function explainLoopwarden(document: unknown): Explained[] {
  const policy = compilePolicy(document);
  const loopwarden = fieldAt(document, 'loopwarden');
  const source = (key: string): SettingSource =>
    fieldAt(loopwarden, key) === undefined ? 'default' : 'global';
  return [
    { setting: 'loopwarden.idle', value: policy.idleMs, source: source('idle') },
    { setting: 'loopwarden.enforce', value: policy.enforce, source: source('enforce') },
    { setting: 'loopwarden.profiles.version', value: policy.profilesVersion, source: source('profiles') },
  ];
}

/** A field by its path, dots between keys. */
function fieldAt(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split('.')) found = isPlainObject(found) ? found[key] : undefined;
  return found;
}
