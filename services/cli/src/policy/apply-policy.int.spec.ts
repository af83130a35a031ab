import { LogError, type OutRecord } from '@loopwarden/stream';
import { HEADERS, verifyValue } from '@loopwarden/wire';
import { expect, it, onTestFinished } from 'vitest';
import type { OpenedLog } from '../open-log.ts';
import { readOperatorKeys, readSigningKey } from '../operator/key-files.ts';
import { keyFilesOf, makeKey, retireKey } from '../operator/new-key.ts';
import { recordsOf, temporaryLog } from '../testing/temporary-log.ts';
import { applyPolicy } from './apply-policy.ts';
import { inForce, readRevisions } from './revisions.ts';

const on = { tools: { loopDetection: { enabled: true } } };
const off = { tools: { loopDetection: { enabled: false } } };

async function apply(
  opened: OpenedLog,
  document: object,
  more: Partial<Parameters<typeof applyPolicy>[1]> = {},
) {
  const newest = inForce(await readRevisions(opened, null));
  return applyPolicy(opened, {
    document: { ...document },
    actor: 'ada',
    reason: 'why not',
    key: null,
    newest,
    ...more,
  });
}

/** What stands in each partition of events: revisions, in order. */
async function applied({ topics, codec, ...opened }: OpenedLog): Promise<unknown[][]> {
  const all = await Promise.all(
    [0, 1, 2].map((partition) => recordsOf({ topics, codec, ...opened }, topics.events, partition)),
  );
  return all.map((records) =>
    records.map(({ value }) => {
      const decoded = codec.decodeEvent(value ?? new Uint8Array());
      return decoded.ok && decoded.value.type === 'policy' ? decoded.value.revision : decoded;
    }),
  );
}

it('a policy is a record in policies, whose offset is its revision, and a copy in every partition of events', async () => {
  const { opened } = await temporaryLog(onTestFinished);
  expect(await apply(opened, on)).toEqual({ ok: true, value: { revision: 0, partitions: 3, again: false } });
  expect(await apply(opened, off)).toMatchObject({ ok: true, value: { revision: 1 } });
  expect(await applied(opened)).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
  const revisions = await readRevisions(opened, null);
  expect(revisions).toMatchObject([
    { revision: 0, document: on, actor: 'ada', reason: 'why not', signedBy: null, ignored: null },
    { revision: 1, document: off },
  ]);
});

it('copies are the same bytes, now and when it is completed later', async () => {
  const { opened } = await temporaryLog(onTestFinished);
  await apply(opened, on);
  await apply(opened, on, { actor: 'somebody else', reason: 'another one' });
  const copies = await Promise.all(
    [0, 1, 2].map((partition) => recordsOf(opened, opened.topics.events, partition)),
  );
  const values = copies.flat().map(({ value }) => Buffer.from(value ?? []).toString('hex'));
  expect(values).toHaveLength(6);
  expect(new Set(values).size).toBe(1);
});

it('what was interrupted is completed by doing it again, under the same revision', async () => {
  const { opened } = await temporaryLog(onTestFinished);
  const broken = brokenAfter(opened, 1);
  const interrupted = await apply(broken, on);
  expect(interrupted).toMatchObject({ ok: false, error: { code: 'apply_interrupted' } });
  expect(await applied(opened)).toEqual([[], [], []]);
  expect(await apply(opened, on)).toEqual({ ok: true, value: { revision: 0, partitions: 3, again: true } });
  expect(await applied(opened)).toEqual([[0], [0], [0]]);
  expect(await readRevisions(opened, null)).toHaveLength(1);
});

it('with a key, revision and copies are signed, and an unsigned or retired one counts for nothing', async () => {
  const { opened, config } = await temporaryLog(onTestFinished);
  const files = keyFilesOf(config);
  const made = makeKey(files, 'ada');
  const key = made.ok ? readSigningKey(made.value.privateFile) : made;
  if (!key.ok) throw new Error(key.error.message);
  await apply(opened, on, { key: key.value });
  await apply(opened, off);
  const keys = readOperatorKeys(files.keys);
  if (!keys.ok) throw new Error(keys.error.message);
  const [copy] = await recordsOf(opened, opened.topics.events, 2);
  const claim = {
    header: copy?.headers[HEADERS.signature] ?? null,
    keys: keys.value,
    at: copy?.timestamp ?? 0,
  };
  expect(verifyValue(copy?.value ?? new Uint8Array(), claim)).toEqual({ ok: true, keyId: 'ada' });
  const revisions = await readRevisions(opened, keys.value);
  expect(revisions.map(({ signedBy, ignored }) => [signedBy, ignored === null])).toEqual([
    ['ada', true],
    [null, false],
  ]);
  expect(inForce(revisions)?.revision).toBe(0);

  retireKey(files.keys, { keyId: 'ada', at: Date.now() + 1 });
  await new Promise((resolve) => setTimeout(resolve, 10));
  await apply(opened, { ...off, loopwarden: { enforce: false } }, { key: key.value });
  const later = readOperatorKeys(files.keys);
  const read = await readRevisions(opened, later.ok ? later.value : []);
  expect(read.map(({ ignored }) => ignored === null)).toEqual([true, false, false]);
});

/** The log of somebody whose connection breaks after so many appends. */
function brokenAfter(opened: OpenedLog, appends: number): OpenedLog {
  let left = appends;
  const writer = opened.log.writer();
  const append = async (records: readonly OutRecord[]) => {
    left -= 1;
    if (left < 0) throw new LogError('unavailable', 'The log does not answer.');
    return writer.append(records);
  };
  const log = {
    ...opened.log,
    reader: opened.log.reader,
    writer: () => ({ append, close: () => writer.close() }),
  };
  return { ...opened, log: log as OpenedLog['log'] };
}
