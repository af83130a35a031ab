import { expect, it, vi } from 'vitest';
import { ruledLog, startDetector, TOPICS } from '../../../test/station.ts';

it('a commit that failed is made on the next beat, though no event comes', async () => {
  let unreachable = true;
  const { broker, gateway } = await ruledLog({
    faults: ({ kind }) => (kind === 'commit' && unreachable ? { fail: 'before' } : undefined),
  });
  unreachable = false;
  const failures: string[] = [];
  const facts = { commitFailed: (_partition: number, detail: string) => void failures.push(detail) };
  const { log, beat } = await startDetector(broker, { facts });
  const committed = async () => (await log.reader.committed('detectors', TOPICS.events)).get(0)?.offset;
  await vi.waitFor(async () => expect(await committed()).toBe(1));
  unreachable = true;
  await gateway.turn('run', 'bb');
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0));
  unreachable = false;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await committed()).toBeLessThan(3);
  beat();
  await vi.waitFor(async () => expect(await committed()).toBe(3));
});
