import { describe, expect, it, vi } from 'vitest';
import { ruledLog, said, startDetector, TOPICS, verdictsSaid } from '../../../test/station.ts';

/** The detector says how far it has come once the policy is in force. */
const MARKED = { 'lw-mark': '1' };

describe('retention', () => {
  it('that overtakes a detector ends its lineage: what is left is another fold', async () => {
    const answered = Promise.withResolvers<void>();
    let slow = false;
    const { broker, gateway } = await ruledLog(
      {
        faults: ({ kind, topic }) =>
          slow && kind === 'append' && topic === TOPICS.control ? { until: answered.promise } : undefined,
      },
      MARKED,
    );
    const reasons: (string | null)[] = [];
    const facts = {
      restored: ({ newLineage }: { newLineage: string | null }) => void reasons.push(newLineage),
    };
    await startDetector(broker, { facts });
    await vi.waitFor(() => expect(said(broker).at(-1)?.control).toMatchObject({ mark: { offset: 0 } }));
    slow = true;
    await gateway.turn('run', 'bb', { headers: { 'lw-mark': '1' } });
    await vi.waitFor(() => expect(said(broker).at(-1)?.control).toMatchObject({ mark: { offset: 2 } }));
    for (let turns = 0; turns < 4; turns += 1) await gateway.turn('run', 'bb');
    broker.trim(TOPICS.events, 0, 5);
    broker.trim(TOPICS.state, 0, Number.MAX_SAFE_INTEGER);
    slow = false;
    answered.resolve();
    await vi.waitFor(() => expect(verdictsSaid(broker).at(-1)).toMatchObject({ action: 'warn', count: 3 }));
    expect(reasons).toEqual([null, 'the fold began at offset 5, not at 0']);
  });

  it('that has taken every event leaves the policy in force', async () => {
    const { broker, gateway } = await ruledLog({}, MARKED);
    const first = await startDetector(broker, { name: 'first' });
    await vi.waitFor(() => expect(said(broker).at(-1)?.control).toMatchObject({ mark: { offset: 0 } }));
    await first.detector.close();
    broker.trim(TOPICS.events, 0, 1);
    broker.trim(TOPICS.state, 0, Number.MAX_SAFE_INTEGER);
    await startDetector(broker, { name: 'second' });
    await vi.waitFor(() => expect(said(broker).at(-1)?.lineage).toBeGreaterThan(0));
    for (let turns = 0; turns < 3; turns += 1) await gateway.turn('run', 'bb');
    await vi.waitFor(() =>
      expect(verdictsSaid(broker).at(-1)).toMatchObject({ count: 3, policyRevision: 0 }),
    );
  });
});

it('a log that ends before the committed offset is waited for by nobody: a new lineage begins at its end', async () => {
  const { broker, gateway } = await ruledLog({}, MARKED);
  const first = await startDetector(broker, { name: 'first' });
  await gateway.turn('run', 'bb', { headers: MARKED });
  await vi.waitFor(() => expect(said(broker).at(-1)?.control).toMatchObject({ mark: { offset: 2 } }));
  await first.detector.close();
  const { committed } = broker.coordinator('detectors', TOPICS.events);
  committed.set(0, { metadata: '', ...committed.get(0), offset: 50 });
  const restored: unknown[] = [];
  await startDetector(broker, { name: 'second', facts: { restored: (how) => void restored.push(how) } });
  await vi.waitFor(() => expect(said(broker).at(-1)?.lineage).toBeGreaterThan(0));
  expect(restored).toMatchObject([
    { to: 3, newLineage: 'the log ends at 3, before the committed offset 50' },
  ]);
  expect(committed.get(0)?.offset).toBe(3);
  for (let turns = 0; turns < 3; turns += 1) await gateway.turn('run', 'bb');
  await vi.waitFor(() => expect(verdictsSaid(broker).at(-1)).toMatchObject({ action: 'warn', count: 4 }));
});
