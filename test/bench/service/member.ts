/**
 * A detector in a process of its own: `node --expose-gc member.ts BROKERS PREFIX`. It is led by messages and answers by them.
 */
import { topicNames } from '@loopwarden/detector/parts';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { detecting } from './detecting.ts';
import { gateOf } from './gate.ts';

/** What a member is told. */
export type Order = 'weigh' | 'join' | 'open';

/** What a member tells. */
export type Report =
  | { readonly type: 'weight'; readonly bytes: number }
  /** The partition has a batch to judge. */
  | { readonly type: 'waits'; readonly partition: number }
  /** Everything up to the offset is judged. */
  | { readonly type: 'judged'; readonly partition: number; readonly offset: number };

const [brokers = '', prefix = ''] = process.argv.slice(2);
const tell = (report: Report): void => void process.send?.(report);
const log = kafkaLog({ brokers: brokers.split(',') });
const gate = gateOf(log, (partition) => tell({ type: 'waits', partition }));

process.on('message', (order: Order) => {
  if (order === 'open') gate.open();
  else if (order === 'weigh') tell({ type: 'weight', bytes: weigh() });
  else
    void detecting(gate.log, topicNames(prefix), (partition, offset) =>
      tell({ type: 'judged', partition, offset }),
    );
});

/** Bytes of heap and buffers in use. */
function weigh(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
