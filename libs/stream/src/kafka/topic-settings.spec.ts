import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TopicSpec } from '../log.ts';
import { settingsDrift, settingsOf, specOf } from './topic-settings.ts';

const specs: fc.Arbitrary<TopicSpec> = fc
  .record({
    name: fc.string({ minLength: 1 }),
    partitions: fc.integer({ min: 1, max: 100 }),
    timestamps: fc.constantFrom('append' as const, 'create' as const),
    retention: fc.oneof(
      fc.record({ cleanup: fc.constant('delete' as const), retentionMs: fc.nat() }),
      fc.record({
        cleanup: fc.constantFrom('compact' as const, 'keep' as const),
        retentionMs: fc.constant(null),
      }),
    ),
  })
  .map(({ retention, ...rest }) => ({ ...rest, ...retention }));

it('a topic’s settings amount to its declaration', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      expect(specOf(spec.name, spec.partitions, settingsOf(spec))).toEqual(spec);
    }),
  );
});

it('a topic that has the settings of its declaration differs in nothing', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const actual = { partitions: spec.partitions, settings: { ...settingsOf(spec), 'flush.ms': '9' } };
      expect(settingsDrift(spec, actual)).toEqual([]);
    }),
  );
});

it('every setting that is otherwise is told, and no difference twice', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const settings = settingsOf(spec);
      for (const name of Object.keys(settings)) {
        const drift = settingsDrift(spec, {
          partitions: spec.partitions,
          settings: { ...settings, [name]: '77' },
        });
        const told = drift.map(({ setting }) => setting);
        expect(told.length).toBeGreaterThan(0);
        expect(new Set(told).size).toBe(told.length);
      }
    }),
  );
});

const STATE: TopicSpec = {
  name: 'state',
  partitions: 3,
  cleanup: 'compact',
  retentionMs: null,
  timestamps: 'append',
};

it('a compacted topic of before, with the segments of the brokers, differs in these', () => {
  const settings = {
    ...settingsOf(STATE),
    'segment.bytes': '1073741824',
    'min.cleanable.dirty.ratio': '0.5',
  };
  expect(settingsDrift(STATE, { partitions: 4, settings })).toEqual([
    { topic: 'state', setting: 'partitions', expected: '3', actual: '4' },
    { topic: 'state', setting: 'segment.bytes', expected: '8388608', actual: '1073741824' },
    { topic: 'state', setting: 'min.cleanable.dirty.ratio', expected: '0.2', actual: '0.5' },
  ]);
});

it('a topic that also deletes what it should only compact differs in that', () => {
  const settings = { ...settingsOf(STATE), 'cleanup.policy': 'compact,delete' };
  expect(settingsDrift(STATE, { partitions: 3, settings })).toEqual([
    { topic: 'state', setting: 'cleanup.policy', expected: 'compact', actual: 'compact,delete' },
  ]);
});

it('a missing topic is one difference, and a setting that the brokers do not have is none', () => {
  expect(settingsDrift(STATE, undefined)).toHaveLength(1);
  const { 'segment.bytes': _, ...settings } = settingsOf(STATE);
  expect(settingsDrift(STATE, { partitions: 3, settings })).toEqual([]);
});

it('a topic that somebody made by hand is read by Kafka’s defaults', () => {
  const settings = { 'cleanup.policy': 'compact,delete', 'retention.ms': '1000' };
  expect(specOf('t', 1, settings)).toEqual({
    name: 't',
    partitions: 1,
    cleanup: 'compact',
    retentionMs: null,
    timestamps: 'create',
  });
});
