import { expect, it } from 'vitest';
import { SILENT } from './facts.ts';
import { noteReadiness, openReadiness, partitionsCheck, sayStandby } from './readiness.ts';

function noted() {
  const readiness = openReadiness();
  return { readiness, facts: noteReadiness(SILENT, readiness) };
}

/** What is said when the time is over, however often it is. */
function saidOf(readiness: ReturnType<typeof openReadiness>, signal = new AbortController().signal) {
  const said: string[] = [];
  const ticks: (() => void)[] = [];
  sayStandby(readiness, {
    time: {
      every: (_ms, tick, until) => void ticks.push(() => (until.aborted ? undefined : tick())),
    },
    logger: { info: (message) => void said.push(message) },
    signal,
  });
  return { said, pass: () => ticks.forEach((tick) => void tick()) };
}

it('a detector without partitions is ready and says that it stands by', () => {
  const { readiness, facts } = noted();
  expect(partitionsCheck(readiness)).toEqual({ ok: true, detail: expect.stringContaining('stands by') });
  facts.assigned(0);
  expect(partitionsCheck(readiness)).toEqual({ ok: true, detail: '' });
  facts.lost(0);
  expect(partitionsCheck(readiness).detail).toContain('stands by');
});

it('a partition that waits keeps it from being ready, until it goes on or is lost', () => {
  const { readiness, facts } = noted();
  for (const partition of [0, 1]) {
    facts.assigned(partition);
    facts.waiting(partition, 'The disk is full.');
  }
  const both = 'Partition 0 waits: The disk is full. Partition 1 waits: The disk is full.';
  expect(partitionsCheck(readiness)).toEqual({ ok: false, detail: both });
  facts.waiting(0, null);
  facts.lost(1);
  expect(partitionsCheck(readiness)).toEqual({ ok: true, detail: '' });
});

it('that it joined and got nothing is said once', () => {
  const { said, pass } = saidOf(noted().readiness);
  pass();
  pass();
  expect(said).toEqual([expect.stringContaining('stands by')]);
});

it('who has a partition by then, was replaced or is closing says nothing', () => {
  const assigned = noted();
  assigned.facts.assigned(2);
  const replaced = noted();
  replaced.facts.replaced('Another one runs.');
  const heard = [
    saidOf(assigned.readiness),
    saidOf(replaced.readiness),
    saidOf(noted().readiness, AbortSignal.abort()),
  ];
  for (const { pass } of heard) pass();
  expect(heard.map(({ said }) => said)).toEqual([[], [], []]);
});
