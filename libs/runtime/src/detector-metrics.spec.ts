import { beforeEach, describe, expect, it } from 'vitest';
import { createDetectorMetrics, type DetectorMetrics } from './detector-metrics.ts';
import { createMetricsRegistry, METRIC_PREFIX, type MetricsRegistry } from './metrics-registry.ts';

let registry: MetricsRegistry;
let metrics: DetectorMetrics;
let time: number;

beforeEach(() => {
  registry = createMetricsRegistry({ runtime: false });
  time = 0;
  metrics = createDetectorMetrics(registry, () => time);
});

const samples = async () => (await registry.text()).split('\n').filter((line) => !/^(#|$)/.test(line));

describe('counting', () => {
  it('verdicts by detector, action and shadow', async () => {
    metrics.verdict({ detector: 'genericRepeat', action: 'block', shadow: false });
    metrics.verdict({ detector: 'genericRepeat', action: 'block', shadow: false });
    metrics.verdict({ detector: 'genericRepeat', action: 'block', shadow: true });
    expect(await samples()).toEqual(
      expect.arrayContaining([
        'loopwarden_verdicts_total{detector="genericRepeat",action="block",shadow="false"} 2',
        'loopwarden_verdicts_total{detector="genericRepeat",action="block",shadow="true"} 1',
      ]),
    );
  });

  it('a gap once, and the events that it stands for', async () => {
    metrics.gap(5);
    expect(await samples()).toEqual(
      expect.arrayContaining(['loopwarden_sequence_gaps_total 1', 'loopwarden_events_missed_total 5']),
    );
  });

  it('times in seconds', async () => {
    metrics.eventToVerdict(15);
    expect(await samples()).toEqual(
      expect.arrayContaining([
        'loopwarden_event_to_verdict_seconds_bucket{le="0.01"} 0',
        'loopwarden_event_to_verdict_seconds_bucket{le="0.02"} 1',
        'loopwarden_event_to_verdict_seconds_sum 0.015',
      ]),
    );
  });

  it('starts at zero where there is no label, so that a first increase is seen', async () => {
    expect(await samples()).toEqual(
      expect.arrayContaining(['loopwarden_runs_forgotten_total 0', 'loopwarden_lineages_total 0']),
    );
  });
});

it('a lost partition leaves no gauge behind, others stay', async () => {
  for (const partition of [3, 4]) {
    metrics.assigned(partition);
    metrics.lag(partition, 10);
    metrics.liveRuns(partition, 2);
    metrics.stateBytes(partition, 100);
    metrics.policyRevision(partition, 1);
    metrics.waiting(partition, true);
    metrics.restored(partition, { events: 7, newLineage: false });
  }
  metrics.lost(3);
  const left = await samples();
  expect(left.filter((line) => line.includes('partition="3"'))).toEqual([]);
  expect(left.filter((line) => line.includes('partition="4"'))).toHaveLength(6);
});

describe('a warm-up', () => {
  it('lasts from assignment to judging, each partition for itself', async () => {
    metrics.assigned(1);
    time = 500;
    metrics.assigned(2);
    time = 1500;
    metrics.restored(1, { events: 40, newLineage: true });
    metrics.restored(2, { events: 2, newLineage: false });
    expect(await samples()).toEqual(
      expect.arrayContaining([
        'loopwarden_warm_up_seconds_sum 2.5',
        'loopwarden_warm_up_seconds_count 2',
        'loopwarden_events_replayed_total 42',
        'loopwarden_lineages_total 1',
        'loopwarden_warming_up{partition="1"} 0',
      ]),
    );
  });

  it('that ends with the loss of the partition is not measured', async () => {
    metrics.assigned(1);
    metrics.lost(1);
    metrics.assigned(1);
    time = 1000;
    metrics.restored(1, { events: 0, newLineage: false });
    expect(await samples()).toEqual(
      expect.arrayContaining([
        'loopwarden_warm_up_seconds_count 1',
        'loopwarden_rebalances_total{change="lost"} 1',
      ]),
    );
  });
});

it('names from outside cannot make series without bound', async () => {
  for (let index = 0; index < 1000; index++) {
    metrics.event(`type-${index}`);
    metrics.skipped(`reason-${index}`);
    metrics.deadLetter(`code-${index}`);
    metrics.verdict({ detector: `detector-${index}`, action: 'block', shadow: false });
  }
  const all = await samples();
  expect(all.length).toBeLessThan(300);
  expect(all).toContain('loopwarden_events_total{type="other"} 960');
});

it('every name has the prefix; those of Node.js join on demand', () => {
  expect(registry.names().filter((name) => !name.startsWith(METRIC_PREFIX))).toEqual([]);
  expect(createMetricsRegistry({ runtime: true }).names()).toContain('nodejs_eventloop_lag_p99_seconds');
});
