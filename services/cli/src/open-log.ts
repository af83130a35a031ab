import { existsSync } from 'node:fs';
import { topicsOf } from '@loopwarden/schemas';
import type { Log } from '@loopwarden/stream';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';
import { type Codec, createEmbeddedCodec } from '@loopwarden/wire';
import type { Config } from './config/settings.ts';
import { prepareFolder } from './data-folder.ts';
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

/**
 * Opens the log that the configuration names. `create`: an embedded log is made where there is none; else a
 * missing one is refused, so that a mistyped folder does not look like an empty log.
 */
export async function openLog(config: Config, { create }: { create: boolean }): Promise<Outcome<OpenedLog>> {
  const { dataDir, topics } = config;
  if (!create && !existsSync(dataDir)) {
    return refuse(
      'no_log',
      `There is no log in ${dataDir}. Start one with: loopwarden up --data-dir ${dataDir}`,
    );
  }
  const folder = prepareFolder(dataDir);
  if (!folder.ok) return folder;
  const log = await openEmbeddedLog({ dir: dataDir });
  await log.admin.apply(topicsOf(topics));
  return succeed({
    log,
    codec: createEmbeddedCodec(),
    findSchema: async () => null,
    topics: topicNames(topics.prefix),
    place: dataDir,
  });
}
