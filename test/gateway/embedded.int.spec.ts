import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compilePolicy, judge, openPartition, type ReadEvent } from '@loopwarden/detection';
import { connect, type Gateway, GatewayError, RunAborted } from '@loopwarden/gateway';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import type { Log } from '@loopwarden/stream';
import { type Codec, HEADERS } from '@loopwarden/wire';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SMALL } from '../given.ts';

const spec = { cleanup: 'keep', retentionMs: null, timestamps: 'append' } as const;
let dir: string;
let gateway: Gateway | undefined;
let detector: Log | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'loopwarden-gateway-'));
});

afterEach(async () => {
  await gateway?.close();
  await detector?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Detection on a log of its own connection, as another process has it. */
async function detect({ log, codec }: { log: Log; codec: Codec }): Promise<void> {
  const partition = openPartition({ policy: compilePolicy(SMALL), revision: -1 });
  const writer = log.writer();
  const headers = { [HEADERS.lineage]: '0' };
  const control = { topic: 'loopwarden.control', partition: 0, headers };
  const read = { topic: 'loopwarden.events', partition: 0, from: 'start', until: 'never' } as const;
  for await (const { records, end } of log.reader.read(read)) {
    const values = records.flatMap(({ value, timestamp }) => {
      const decoded = codec.decodeEvent(value ?? new Uint8Array());
      if (!decoded.ok) throw new Error(decoded.detail);
      return judge(partition, decoded.value as ReadEvent, timestamp).verdicts;
    });
    const offset = records.at(-1)?.offset ?? -1;
    const mark = { ...control, key: null, value: codec.encodeMark({ partition: 0, offset, end }) };
    const verdicts = values.map((verdict) => ({
      ...control,
      key: verdict.runId,
      value: codec.encodeVerdict(verdict),
    }));
    await writer.append([...verdicts, mark]);
  }
}

it('a strict gateway on the embedded log stops a run that loops after its compaction', async () => {
  const theirs = await openEmbedded({ dir });
  detector = theirs.log;
  const names = ['events', 'control', 'policies'];
  await detector.admin.apply(names.map((name) => ({ ...spec, name: `loopwarden.${name}`, partitions: 1 })));
  void detect(theirs);
  const log = await openEmbedded({ dir });
  gateway = await connect({ log, gatewayId: 'gw', strict: { deadlineMs: 20_000, onDeadline: 'closed' } });
  const run = gateway.run({ runId: 'r' });
  const { signal } = run;
  const call = () => run.guard('read', { path: '/a' }, () => 'same');
  expect(await call()).toMatchObject({ ran: true });
  run.compacted();
  expect([await call(), await call()]).toMatchObject([{ ran: true }, { ran: true }]);
  expect(await call()).toMatchObject({ ran: false, action: 'abort' });
  expect(signal.reason).toBeInstanceOf(RunAborted);
  expect(gateway.stats()).toMatchObject({ undecided: 0, late: 0, aborts: 1, vetoes: 1 });
});

it('says which option is wrong before it opens anything', async () => {
  const log = await openEmbedded({ dir });
  detector = log.log;
  const refused = connect({ log, gatewayId: ' ' });
  await expect(refused).rejects.toThrow(GatewayError);
  await expect(refused).rejects.toMatchObject({ code: 'bad_option' });
  await expect(connect({ log, gatewayId: 'gw' })).rejects.toMatchObject({ code: 'refused' });
});
