import { type EmbeddedLogOptions, openEmbeddedLog } from '@loopwarden/stream/embedded';
import { createEmbeddedCodec } from '@loopwarden/wire';
import type { Connection } from '../connection.ts';

export type { EmbeddedLogOptions } from '@loopwarden/stream/embedded';

/** Opens the log of this machine: a directory that its detector and gateways share. */
export async function openEmbedded(options: EmbeddedLogOptions): Promise<Connection> {
  return {
    log: await openEmbeddedLog(options),
    codec: createEmbeddedCodec(),
    findSchema: async () => null, // its table of ids holds every schema that there is
  };
}
