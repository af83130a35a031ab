import type { Verdict } from '@loopwarden/detection';
import type { MemoryBroker } from '@loopwarden/stream/memory';
import { describe, expect, it, vi } from 'vitest';
import { FOREIGN_LAYOUT, NEXT_LAYOUT } from '../../../test/state-layouts.ts';
import { ruledLog, said, startDetector, TOPICS, verdictsSaid } from '../../../test/station.ts';
import type { Restored } from './facts.ts';
import { STATE_LAYOUT, type StateLayout } from './state/layout.ts';

/** A fleet whose run loops while detectors of two formats take turns. */
async function fleet() {
  const { broker, gateway } = await ruledLog();
  const restored: Restored[] = [];
  let turns = 0;
  return {
    broker,
    restored,
    /** A detector takes over, judges one turn of the run, saves, and leaves; returns the offset that it saved. */
    async serve(layout: StateLayout): Promise<number> {
      turns += 1;
      const covered: number[] = [];
      const facts = {
        restored: (how: Restored) => void restored.push(how),
        saved: (how: { covered: number }) => void covered.push(how.covered),
      };
      const { detector, beat } = await startDetector(broker, { name: `detector-${turns}`, facts, layout });
      await gateway.turn('run', 'bb', { headers: { 'lw-mark': '1' } });
      const last = 2 * turns;
      await vi.waitFor(() => expect(said(broker).at(-1)?.control).toMatchObject({ mark: { offset: last } }));
      await vi.waitFor(() => expect(covered.length).toBeGreaterThan(0));
      beat();
      await detector.close();
      return covered.at(-1) ?? 0;
    },
  };
}

/** What one detector says that serves the run alone. */
async function undisturbed(turns: number): Promise<readonly Verdict[]> {
  const { broker, gateway } = await ruledLog();
  await startDetector(broker);
  for (let left = turns; left > 0; left -= 1)
    await gateway.turn('run', 'bb', { headers: { 'lw-mark': '1' } });
  await vi.waitFor(() => expect(said(broker).at(-1)?.control).toMatchObject({ mark: { offset: 2 * turns } }));
  expect(verdictsSaid(broker).length).toBeGreaterThan(1);
  return verdictsSaid(broker);
}

function formatsSaved(broker: MemoryBroker): Set<string> {
  const keys = broker.records(TOPICS.state, 0).map(({ key }) => Buffer.from(key ?? []).toString());
  return new Set(keys.map((key) => key.split('/')[0] ?? ''));
}

describe('an upgrade, detector by detector, on a log that has lost its beginning', () => {
  it('goes on in the first lineage, to and fro, and so does a roll-back', async () => {
    const { broker, restored, serve } = await fleet();
    broker.trim(TOPICS.events, 0, await serve(STATE_LAYOUT));
    for (const layout of [NEXT_LAYOUT, STATE_LAYOUT, NEXT_LAYOUT, NEXT_LAYOUT, STATE_LAYOUT])
      await serve(layout);
    expect(restored.map(({ loaded, newLineage }) => [loaded, newLineage])).toEqual([
      [false, null],
      ...Array.from({ length: 5 }, () => [true, null]),
    ]);
    expect(new Set(said(broker).map(({ lineage }) => lineage))).toEqual(new Set([0]));
    expect(verdictsSaid(broker)).toEqual(await undisturbed(6));
    expect(formatsSaved(broker).size).toBe(2);
  });

  it('to a version that cannot read what it finds begins a lineage, and says why', async () => {
    const { broker, restored, serve } = await fleet();
    broker.trim(TOPICS.events, 0, await serve(STATE_LAYOUT));
    await serve(FOREIGN_LAYOUT);
    expect(restored.at(-1)).toMatchObject({
      loaded: false,
      newLineage: 'the fold began at offset 3, not at 0',
      unread: 'State of format 2 stands there; this version reads 3.',
    });
  });
});

it('an upgrade on a whole log begins no lineage, whatever the versions can read', async () => {
  const { broker, restored, serve } = await fleet();
  for (const layout of [STATE_LAYOUT, FOREIGN_LAYOUT, STATE_LAYOUT, FOREIGN_LAYOUT]) await serve(layout);
  expect(restored.map(({ loaded, newLineage }) => [loaded, newLineage])).toEqual([
    [false, null],
    [false, null],
    [true, null],
    [true, null],
  ]);
  expect(verdictsSaid(broker)).toEqual(await undisturbed(4));
});

it('state from before its records named a format stops nothing: the events are read, and a line says so', async () => {
  const { broker, restored, serve } = await fleet();
  const old = ['5f0c/0', '5f0c/manifest', 'no-slash', ''];
  const writer = broker.connect('older').writer();
  for (const key of old)
    await writer.append([{ topic: TOPICS.state, partition: 0, key, value: Buffer.from('old') }]);
  await serve(STATE_LAYOUT);
  expect(restored).toMatchObject([
    { loaded: false, newLineage: null, unread: 'State of format none stands there; this version reads 2.' },
  ]);
});
