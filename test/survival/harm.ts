import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENGINE } from '@loopwarden/detection';
import { readCommitMetadata, writeCommitMetadata } from '@loopwarden/detector/parts';
import { topicsOf } from '@loopwarden/schemas';
import type { Log, LogGroup } from '@loopwarden/stream';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { PARTITIONS, type Place } from './place.ts';

// What befalls a log while no detector is alive, by the means of whoever runs it.

const PATIENCE_MS = 60_000;

/** Lets go all events before a time, as retention does. */
export async function trimEvents(place: Place, log: Log, before: number): Promise<void> {
  const topic = `${place.prefix}events`;
  if (place.kind === 'kafka') {
    const offsets = await log.reader.offsetsAt(topic, before);
    const partitions = [...offsets].map(([partition, offset]) => ({ partition, offset: `${offset}` }));
    return administer(place.brokers, async (admin) => {
      // Without having asked for something of the topic the client does not know its leaders.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions });
    });
  }
  const declared = topicsOf({ prefix: place.prefix, partitions: PARTITIONS });
  const own = await openEmbeddedLog({ dir: place.dir });
  await own.admin.apply(
    declared.map((spec) => (spec.name === topic ? { ...spec, retentionMs: Date.now() - before } : spec)),
  );
  await own.housekeep();
  await own.admin.apply(declared);
  await own.close();
}

/** Forgets what a group has committed. */
export async function loseCommits(place: Place, group: string): Promise<void> {
  if (place.kind === 'kafka')
    return administer(place.brokers, (admin) => patiently(() => admin.deleteGroups([group])));
  const db = new DatabaseSync(join(place.dir, 'log.sqlite'));
  db.exec('PRAGMA busy_timeout = 5000');
  db.prepare('DELETE FROM committed WHERE "group" = ?').run(group);
  db.close();
}

/** Has every commit say that another engine made it: what the group holds when one was here before. */
export async function recommit(log: Log, { prefix }: Place, { group, engine }: Recommit): Promise<void> {
  const topic = `${prefix}events`;
  const membership = Promise.withResolvers<LogGroup>();
  const missing = new Set(Array.from({ length: PARTITIONS }, (_, at) => at));
  const all = Promise.withResolvers<void>();
  const joined = await log.join(
    { group, topic, clientId: 'other-engine' },
    {
      async assigned({ partition, committed }) {
        const read = readCommitMetadata(committed?.metadata ?? '');
        if (committed === null || read === null) throw new Error(`Nothing is committed of ${partition}.`);
        const metadata = writeCommitMetadata({ ...read, engine });
        await (await membership.promise).commit(topic, partition, { ...committed, metadata });
        missing.delete(partition);
        if (missing.size === 0) all.resolve();
        return committed.offset;
      },
      lost: () => undefined,
      batch: async () => undefined,
      failed: (failure) => all.reject(failure),
    },
  );
  membership.resolve(joined);
  await all.promise;
  await joined.close();
}

interface Recommit {
  readonly group: string;
  readonly engine: string;
}

/** Not the one of the detectors under trial. */
export const OTHER_ENGINE = `${ENGINE}-before`;

async function administer(
  brokers: readonly string[],
  work: (admin: Admin) => Promise<unknown>,
): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await work(admin).finally(() => admin.disconnect());
}

/** A group cannot go before the sessions of its dead are over. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await work();
      return;
    } catch (failure) {
      if (Date.now() > deadline) throw failure;
    }
    await sleep(500);
  }
}
