import type { GroupHandlers, Log } from '@loopwarden/stream';

/** A log whose members hold their batches back until it is opened, so that no join or restore is measured with them. */
interface Gate {
  readonly log: Log;
  open(): void;
}

/** `waits` hears of each partition that has a batch to judge. */
export function gateOf(log: Log, waits: (partition: number) => void): Gate {
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const held = (handlers: GroupHandlers): GroupHandlers => ({
    ...handlers,
    batch: async (batch) => {
      waits(batch.partition);
      await opened;
      await handlers.batch(batch);
    },
  });
  const gated: Log = {
    reader: log.reader,
    admin: log.admin,
    writer: () => log.writer(),
    join: (options, handlers) => log.join(options, held(handlers)),
    health: () => log.health(),
    close: () => log.close(),
  };
  return { log: gated, open: resolve };
}
