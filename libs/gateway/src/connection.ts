import type { Log } from '@loopwarden/stream';
import type { Codec } from '@loopwarden/wire';

/** A log that a gateway can speak to: what the connectors open. */
export interface Connection {
  readonly log: Log;
  readonly codec: Codec;
  /**
   * The schema of an id that the codec does not know, as parsed JSON; null: there is no such id. Rejects when
   * it cannot be looked up now.
   */
  findSchema(id: number): Promise<unknown>;
}
