import type { Drift, TopicSpec } from './log.ts';

/** The settings in which a topic as it is differs from its declaration; a missing topic is one difference. */
export function topicDrift(declared: TopicSpec, actual: TopicSpec | undefined): readonly Drift[] {
  const topic = declared.name;
  if (actual === undefined) {
    return [{ topic, setting: 'partitions', expected: String(declared.partitions), actual: null }];
  }
  return (['partitions', 'cleanup', 'retentionMs', 'timestamps'] as const)
    .filter((setting) => declared[setting] !== actual[setting])
    .map((setting) => ({
      topic,
      setting,
      expected: settingText(declared[setting]),
      actual: settingText(actual[setting]),
    }));
}

/** What remains of a topic's drift once its settings were applied: partition counts never change. */
export function remainingDrift(drift: readonly Drift[]): readonly Drift[] {
  return drift.filter(({ setting, actual }) => setting === 'partitions' && actual !== null);
}

function settingText(value: string | number | null): string {
  return value === null ? 'unlimited' : String(value);
}
