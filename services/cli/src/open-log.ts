import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { topicsOf } from '@loopwarden/schemas';
import type { Log } from '@loopwarden/stream';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';
import type { KafkaLogLine } from '@loopwarden/stream/kafka';
import { type Codec, createEmbeddedCodec } from '@loopwarden/wire';
import type { Config } from './config/settings.ts';
import { prepareFolder } from './data-folder.ts';
import { openKafkaLog } from './kafka/open-kafka-log.ts';
import { type TopicNames, topicNames } from './topic-names.ts';
import { type Outcome, refuse, succeed } from './user-error.ts';

/** A log and what it takes to read and write it. */
export interface OpenedLog {
  readonly log: Log;
  readonly codec: Codec;
  /** The schema of an id that the codec does not know; null: there is no such id. */
  readonly findSchema: (id: number) => Promise<unknown>;
  readonly topics: TopicNames;
  /** For people: where it is. */
  readonly place: string;
}

export interface OpenLogOptions {
  /** An embedded log is made where there is none; else a missing one is refused: a mistyped folder is no empty log. */
  readonly create: boolean;
  /** Hears what a driver has to say, a few lines per incident. */
  readonly say: (line: KafkaLogLine) => void;
}

/** Opens the log that the configuration names, its topics in place. Rejects with a `LogError`. */
export async function openLog(config: Config, { create, say }: OpenLogOptions): Promise<Outcome<OpenedLog>> {
  if (config.log === 'embedded') return openEmbedded(config, create);
  const opened = await openKafkaLog(config, say);
  return opened.ok ? withTopics(opened.value) : opened;
}

async function openEmbedded(
  { dataDir, topics, embedded }: Config,
  create: boolean,
): Promise<Outcome<OpenedLog>> {
  const present = create ? succeed(null) : logPresent(dataDir);
  if (!present.ok) return present;
  const folder = prepareFolder(dataDir);
  if (!folder.ok) return folder;
  const { maxBytes } = embedded;
  const log = await openEmbeddedLog(maxBytes === null ? { dir: dataDir } : { dir: dataDir, maxBytes });
  await log.admin.apply(topicsOf(topics));
  return succeed({
    log,
    codec: createEmbeddedCodec(),
    findSchema: async () => null,
    topics: topicNames(topics.prefix),
    place: dataDir,
  });
}

/** Whether a folder holds a log: a mistyped folder is no empty one. */
export function logPresent(dataDir: string): Outcome<null> {
  if (existsSync(join(dataDir, 'log.sqlite'))) return succeed(null);
  return refuse(
    'no_log',
    `There is no log in ${dataDir}. Name its folder with --data-dir or LOOPWARDEN_DATA_DIR, or start a log with: loopwarden up --data-dir ${dataDir}`,
  );
}

/** Topics of a cluster are made on purpose, with the partitions that a fleet needs. */
async function withTopics(opened: OpenedLog): Promise<Outcome<OpenedLog>> {
  const present = new Set(await opened.log.admin.topics());
  const missing = Object.values(opened.topics).filter((topic) => !present.has(topic));
  if (missing.length === 0) return succeed(opened);
  await opened.log.close();
  return refuse(
    'no_topics',
    `${opened.place} has no ${missing.join(', ')}. Create them with: loopwarden topics apply`,
  );
}
