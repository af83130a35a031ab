import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TopicSpec } from '../log.ts';
import { settingsOf, specOf } from './topic-settings.ts';

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
