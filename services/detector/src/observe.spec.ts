import { createDetectorMetrics, createMetricsRegistry, silentLogger } from '@loopwarden/runtime';
import { expect, it } from 'vitest';
import { observe } from './observe.ts';

it.each([
  [7, ['loopwarden_policy_revision{partition="3"} 7']],
  [-1, []],
])('a restored partition shows the policy that it was saved under: %i', async (revision, shown) => {
  const registry = createMetricsRegistry({ runtime: false });
  const facts = observe(
    silentLogger,
    createDetectorMetrics(registry, () => 0),
  );
  const found = { from: 5, to: 9, loaded: true, unread: null, lineage: 0, newLineage: null, liveRuns: 1 };
  facts.restored({ partition: 3, ...found, revision });
  const lines = (await registry.text()).split('\n');
  expect(lines.filter((line) => line.startsWith('loopwarden_policy_revision{'))).toEqual(shown);
});
