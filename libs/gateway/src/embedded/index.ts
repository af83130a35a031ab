import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type EmbeddedLogOptions, openEmbeddedLog } from '@loopwarden/stream/embedded';
import { createEmbeddedCodec } from '@loopwarden/wire';
import type { Connection } from '../connection.ts';
import { GatewayError } from '../gateway-error.ts';
import { checkNumber, checkText, fieldsOf, isGiven } from '../given.ts';

export interface EmbeddedConnectionOptions extends EmbeddedLogOptions {
  /** Whether a missing log is made (default: no). Nobody would judge what a misspelt folder is told. */
  readonly create?: boolean;
}

/**
 * Opens the log of this machine: a directory that its detector and gateways share. Rejects with a `GatewayError`:
 * `no_log` where there is none, `bad_option`; with a `LogError` for a log that cannot be opened.
 */
export async function openEmbedded(options: EmbeddedConnectionOptions): Promise<Connection> {
  const { create, dir, maxBytes, leaseMs } = fieldsOf('What was given to openEmbedded', options);
  checkText('dir', dir);
  if (isGiven(maxBytes)) checkNumber('maxBytes', maxBytes);
  if (isGiven(leaseMs)) checkNumber('leaseMs', leaseMs);
  if (create !== true) refuseMissing(options.dir);
  return {
    log: await openEmbeddedLog(options),
    codec: createEmbeddedCodec(),
    findSchema: async () => null, // its table of ids holds every schema that there is
  };
}

function refuseMissing(dir: string): void {
  const folder = resolve(dir);
  if (existsSync(join(folder, 'log.sqlite'))) return;
  throw new GatewayError(
    'no_log',
    `There is no log in ${folder}. Start one with "loopwarden up --data-dir ${folder}", or name the folder of the one that runs.`,
  );
}
