import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Gateway, GatewayError, RunAborted } from '@loopwarden/gateway';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { openKafka } from '@loopwarden/gateway/kafka';
import type { Log } from '@loopwarden/stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SMALL } from '../given.ts';
import { judgeLog } from './judge-log.ts';

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

it('a strict gateway on the embedded log stops a run that loops after its compaction', async () => {
  const theirs = await openEmbedded({ dir, create: true });
  detector = theirs.log;
  const names = ['events', 'control', 'policies'];
  await detector.admin.apply(names.map((name) => ({ ...spec, name: `loopwarden.${name}`, partitions: 1 })));
  void judgeLog(theirs, { policy: SMALL, prefix: 'loopwarden.' });
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
  const log = await openEmbedded({ dir, create: true });
  detector = log.log;
  const refused = connect({ log, gatewayId: ' ' });
  await expect(refused).rejects.toThrow(GatewayError);
  await expect(refused).rejects.toMatchObject({ code: 'bad_option' });
  await expect(connect({ log, gatewayId: 'gw' })).rejects.toMatchObject({ code: 'refused' });
});

it('a folder without a log is refused and left as it is: nobody would judge what it is told', async () => {
  const misspelt = join(dir, 'misspelt');
  await expect(openEmbedded({ dir: misspelt })).rejects.toMatchObject({
    code: 'no_log',
    message: expect.stringContaining(`loopwarden up --data-dir ${misspelt}`),
  });
  expect(existsSync(misspelt)).toBe(false);
  const log = await openEmbedded({ dir: misspelt, create: true });
  detector = log.log;
  const again = await openEmbedded({ dir: misspelt });
  await again.log.close();
});

it.each([null, 'here', { dir: undefined }, { dir: 5 }, { dir: ' ' }, { dir: '.', maxBytes: 'x' }])(
  'openEmbedded(%j) says what to give',
  async (wrong) => {
    await expect(openEmbedded(wrong as never)).rejects.toMatchObject({ code: 'bad_option' });
  },
);

it.each([null, {}, { brokers: 'a:1' }, { brokers: [1] }, { brokers: ['a:1'], registry: 'http://a' }])(
  'openKafka(%j) says what to give',
  async (wrong) => {
    await expect(openKafka(wrong as never)).rejects.toMatchObject({ code: 'bad_option' });
  },
);
