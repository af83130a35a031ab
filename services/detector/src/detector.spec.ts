import { LogError, type LogWriter } from '@loopwarden/stream';
import type { MemoryBroker } from '@loopwarden/stream/memory';
import { describe, expect, it, vi } from 'vitest';
import { told } from '../../../test/given.ts';
import {
  codec,
  memoryBroker,
  ruledLog,
  said,
  type scribe,
  startDetector,
  TOPICS,
  verdictsSaid,
} from '../../../test/station.ts';
import { readCommitMetadata } from './commit-metadata.ts';

async function loop(gateway: ReturnType<typeof scribe>, turns = 5, runId = 'run'): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await gateway.turn(runId, 'bb');
}

/** A broker that takes nothing from detectors while its disk is full. */
function onDisk(broker: MemoryBroker, disk: { readonly full: boolean }): Pick<MemoryBroker, 'connect'> {
  const guarded = (writer: LogWriter): LogWriter => ({
    append: (records) =>
      disk.full ? Promise.reject(new LogError('full', 'The disk is full.')) : writer.append(records),
    close: () => writer.close(),
  });
  return {
    connect: (name) => {
      const log = broker.connect(name);
      return { ...log, writer: () => guarded(log.writer()) };
    },
  };
}

describe('the walk', () => {
  it('answers events with verdicts in the same partition, keyed by run, naming their trigger and lineage', async () => {
    const { broker, gateway } = await ruledLog();
    await startDetector(broker);
    await loop(gateway);
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(4));
    const args = '0'.repeat(30);
    expect(verdictsSaid(broker).map(told).at(-1)).toBe(`#4 block read(${args}aa) generic_repeat×5 ends #3`);
    const [record] = broker.records(TOPICS.control, 0).slice(-1);
    expect(record?.headers).toMatchObject({ 'lw-trigger': '0:10', 'lw-lineage': '0' });
    expect(Buffer.from(record?.key ?? []).toString()).toBe('run');
  });

  it('carries the trace of the triggering event over', async () => {
    const { broker, gateway } = await ruledLog();
    await startDetector(broker);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    for (let turn = 0; turn < 3; turn += 1) await gateway.turn('run', 'bb', { headers: { traceparent } });
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(1));
    expect(said(broker).at(-1)?.headers.traceparent).toBe(traceparent);
  });

  it('marks its progress when a writer waits for it', async () => {
    const { broker, gateway } = await ruledLog();
    await startDetector(broker);
    await gateway.turn('run', 'bb', { headers: { 'lw-mark': '1' } });
    await vi.waitFor(() =>
      expect(said(broker).at(-1)?.control).toMatchObject({ type: 'mark', mark: { partition: 0, offset: 2 } }),
    );
  });

  it('commits what is acknowledged, with lineage and epoch', async () => {
    const { broker, gateway } = await ruledLog();
    const { log } = await startDetector(broker);
    await loop(gateway);
    await vi.waitFor(async () => {
      const committed = (await log.reader.committed('detectors', TOPICS.events)).get(0);
      expect(committed?.offset).toBe(11);
      expect(readCommitMetadata(committed?.metadata ?? '')).toMatchObject({ lineage: 0, engine: '1' });
    });
  });
});

describe('a record that cannot be read', () => {
  it('becomes a dead letter with its origin, and its neighbours are judged', async () => {
    const { broker, gateway } = await ruledLog();
    await startDetector(broker);
    const writer = broker.connect('stranger').writer();
    const value = new Uint8Array([9, 9, 9, 9, 9, 9, 9]);
    await writer.append([{ topic: TOPICS.events, partition: 0, key: 'run', value }]);
    await loop(gateway);
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(4));
    const [letter] = broker
      .records(TOPICS.deadLetters, 0)
      .map(({ value: bytes }) => codec.decodeDeadLetter(bytes ?? new Uint8Array()));
    expect(letter).toMatchObject({
      ok: true,
      value: { topic: TOPICS.events, partition: 0, offset: 1, code: 'bad_magic' },
    });
  });

  it('is an operator event without a signature where keys are configured', async () => {
    const { broker } = await ruledLog();
    const codes: string[] = [];
    await startDetector(broker, { keys: [], facts: { deadLetter: (code) => void codes.push(code) } });
    await vi.waitFor(() => expect(codes).toEqual(['unsigned']));
  });
});

describe('a heartbeat', () => {
  it('marks an idle partition', async () => {
    const broker = memoryBroker();
    const station = await startDetector(broker);
    await vi.waitFor(() => expect(said(broker)).toHaveLength(1));
    station.beat();
    await vi.waitFor(() => expect(said(broker)).toHaveLength(2));
    expect(said(broker)[1]?.control).toMatchObject({ type: 'mark', mark: { offset: -1, end: 0 } });
  });
});

describe('a full disk', () => {
  it('keeps no detector from closing, and the next one says what was not written', async () => {
    const { broker, gateway } = await ruledLog();
    const disk = { full: false };
    const waits: (string | null)[] = [];
    const first = await startDetector(onDisk(broker, disk), {
      name: 'first',
      facts: { waiting: (_, detail) => void waits.push(detail) },
    });
    await loop(gateway, 2);
    const { reader } = broker.connect('operator');
    await vi.waitFor(async () =>
      expect((await reader.committed('detectors', TOPICS.events)).get(0)?.offset).toBe(5),
    );
    disk.full = true;
    await loop(gateway, 3);
    await vi.waitFor(() => expect(waits).toContain('The disk is full.'));
    await first.detector.close();
    expect(verdictsSaid(broker)).toHaveLength(0);
    await startDetector(broker, { name: 'second' });
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(4));
  });
});

describe('a restart', () => {
  it('goes on in the same lineage without saying anything twice', async () => {
    const { broker, gateway } = await ruledLog();
    const first = await startDetector(broker, { name: 'first' });
    await loop(gateway, 3);
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(1));
    await first.detector.close();
    await startDetector(broker, { name: 'second' });
    await loop(gateway, 2);
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(4));
    expect(verdictsSaid(broker).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(new Set(said(broker).map(({ lineage }) => lineage))).toEqual(new Set([0]));
  });

  it('after a crash between publishing and committing says the same again, byte for byte', async () => {
    const refuseCommits = { on: false };
    const faults: Parameters<typeof memoryBroker>[1] = {
      faults: ({ kind }) => (kind === 'commit' && refuseCommits.on ? { fail: 'before' } : undefined),
    };
    const { broker, gateway } = await ruledLog(faults);
    await startDetector(broker, { name: 'first' });
    await vi.waitFor(() => expect(said(broker)).toHaveLength(1));
    refuseCommits.on = true;
    await loop(gateway);
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(4));
    refuseCommits.on = false;
    broker.crash('first');
    await startDetector(broker, { name: 'second' });
    await vi.waitFor(() => expect(verdictsSaid(broker).length).toBeGreaterThanOrEqual(8));
    const bodies = verdictsSaid(broker).map((verdict) => JSON.stringify(verdict));
    expect(bodies.slice(4)).toEqual(bodies.slice(0, 4));
  });

  it('goes on from saved state where the log has lost its beginning', async () => {
    const { broker, gateway } = await ruledLog();
    const saved: number[] = [];
    const facts = { saved: ({ covered }: { covered: number }) => void saved.push(covered) };
    const first = await startDetector(broker, { name: 'first', facts });
    await loop(gateway, 3);
    await vi.waitFor(() => expect(saved.length).toBeGreaterThan(0));
    first.beat();
    await loop(gateway, 1);
    await vi.waitFor(() => expect(saved.length).toBeGreaterThan(1));
    await first.detector.close();
    broker.trim(TOPICS.events, 0, saved.at(-1) ?? 0);
    const restored: unknown[] = [];
    await startDetector(broker, { name: 'second', facts: { restored: (how) => void restored.push(how) } });
    await loop(gateway, 1);
    await vi.waitFor(() => expect(verdictsSaid(broker).at(-1)).toMatchObject({ action: 'block', count: 5 }));
    expect(restored).toMatchObject([{ loaded: true, from: saved.at(-1), newLineage: null, lineage: 0 }]);
  });

  it('on a log that has lost its beginning, without state, starts a new lineage and renews the runs', async () => {
    const { broker, gateway } = await ruledLog();
    const first = await startDetector(broker, { name: 'first' });
    await loop(gateway);
    await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(4));
    await first.detector.close();
    broker.trim(TOPICS.events, 0, 3);
    broker.trim(TOPICS.state, 0, Number.MAX_SAFE_INTEGER);
    const why: (string | null)[] = [];
    await startDetector(broker, {
      name: 'second',
      facts: { restored: ({ newLineage }) => void why.push(newLineage) },
    });
    await vi.waitFor(() => expect(said(broker).at(-1)?.control.type).toBe('mark'));
    await vi.waitFor(() => expect(why).toEqual(['the fold began at offset 3, not at 0']));
    const { lineage } = said(broker).at(-1) ?? {};
    expect(lineage).toBeGreaterThan(broker.clock.now());
    const renewed = verdictsSaid(broker).at(-1);
    expect(renewed).toMatchObject({
      epoch: lineage,
      sequence: 1,
      action: 'warn',
      count: 4,
      policyRevision: 0,
    });
    expect(renewed?.trigger).toEqual({ source: 'renewal', sequence: 0 });
    expect(said(broker).at(-2)?.headers['lw-trigger']).toBeUndefined();
  });
});
