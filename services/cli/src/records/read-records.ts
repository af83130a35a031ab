import type { InRecord, ReadOptions } from '@loopwarden/stream';
import { schemaIdOf } from '@loopwarden/wire';
import type { OpenedLog } from '../open-log.ts';

/** Reads a partition record by record; what a record was written with is looked up before it is handed out. */
export async function* readRecords(opened: OpenedLog, options: ReadOptions): AsyncGenerator<InRecord> {
  for await (const { records } of opened.log.reader.read(options)) {
    for (const record of records) {
      await learnSchema(opened, record);
      yield record;
    }
  }
}

/** Looks up what a record was written with, unless the codec knows it. */
export async function learnSchema({ codec, findSchema }: OpenedLog, { value }: InRecord): Promise<void> {
  const id = value === null ? null : schemaIdOf(value);
  if (id === null || codec.knows(id)) return;
  const schema = await findSchema(id);
  if (schema !== null) codec.addSchema(id, schema);
}
