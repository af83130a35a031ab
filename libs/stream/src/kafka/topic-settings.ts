import type { Drift, TopicSpec } from '../log.ts';
import { maxRecordBytes } from '../record-bytes.ts';
import { topicDrift } from '../topic-drift.ts';

/** A topic's settings under Kafka's names. */
export type TopicSettings = Readonly<Record<string, string>>;

/** What framing may add to the largest record. */
const FRAMING_BYTES = 65_536;
const UNLIMITED = '-1';
/**
 * Brokers compact whole segments, and never the one that is written: with their 1 GiB a reader of all that stands
 * would read hours of what is superseded.
 */
const COMPACTED_SEGMENT_BYTES = 8_388_608;
/** Share of what came since the last time, from which on brokers compact again. */
const COMPACTED_AGAIN_FROM = 0.2;

const COMPACTED: TopicSettings = {
  'segment.bytes': String(COMPACTED_SEGMENT_BYTES),
  'min.cleanable.dirty.ratio': String(COMPACTED_AGAIN_FROM),
};

/** The settings that a declaration fixes; others are the operators' own. */
export function settingsOf({ cleanup, retentionMs, timestamps }: TopicSpec): TopicSettings {
  return {
    'cleanup.policy': cleanup === 'compact' ? 'compact' : 'delete',
    'retention.ms': cleanup === 'keep' || retentionMs === null ? UNLIMITED : String(retentionMs),
    // Kept for ever means by size, too.
    ...(cleanup === 'keep' ? { 'retention.bytes': UNLIMITED } : {}),
    ...(cleanup === 'compact' ? COMPACTED : {}),
    'message.timestamp.type': timestamps === 'append' ? 'LogAppendTime' : 'CreateTime',
    'max.message.bytes': String(maxRecordBytes + FRAMING_BYTES),
  };
}

/** A topic as the brokers have it. */
export interface ActualTopic {
  readonly partitions: number;
  readonly settings: TopicSettings;
}

/** The part of a declaration that a setting carries. */
const CARRIES: Readonly<Record<string, string>> = {
  'cleanup.policy': 'cleanup',
  'retention.ms': 'retentionMs',
  'message.timestamp.type': 'timestamps',
};

/**
 * Where a topic differs from its declaration: first in what is declared, then in the settings that follow from it,
 * under Kafka's names. A setting that the brokers do not have cannot be set.
 */
export function settingsDrift(declared: TopicSpec, actual: ActualTopic | undefined): readonly Drift[] {
  if (actual === undefined) return topicDrift(declared, undefined);
  const { partitions, settings } = actual;
  const drift = topicDrift(declared, specOf(declared.name, partitions, settings));
  const told = new Set(drift.map(({ setting }) => setting));
  const more = Object.entries(settingsOf(declared)).flatMap(([setting, expected]) => {
    const is = settings[setting];
    if (is === undefined || is === expected || told.has(CARRIES[setting] ?? '')) return [];
    return [{ topic: declared.name, setting, expected, actual: is }];
  });
  return [...drift, ...more];
}

/** The declaration that a topic's settings amount to. */
export function specOf(name: string, partitions: number, settings: TopicSettings): TopicSpec {
  const compact = (settings['cleanup.policy'] ?? 'delete').includes('compact');
  const forever = (settings['retention.ms'] ?? UNLIMITED) === UNLIMITED;
  return {
    name,
    partitions,
    cleanup: compact ? 'compact' : forever ? 'keep' : 'delete',
    retentionMs: compact || forever ? null : Number(settings['retention.ms']),
    timestamps: settings['message.timestamp.type'] === 'LogAppendTime' ? 'append' : 'create',
  };
}
