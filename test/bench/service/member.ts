/**
 * A detector in a process of its own: `node --expose-gc member.ts BROKERS PREFIX`. It is led by messages and answers by them.
 */
import { topicNames } from '@loopwarden/detector/parts';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { detecting } from './detecting.ts';
import { gateOf } from './gate.ts';

/** What a member is told. */
export type Order = 'weigh' | 'join' | 'open' | 'account';

/** What a member tells. */
export type Report =
  /** To `weigh`: bytes of heap and buffers; to `account`: microseconds of all threads since the gate was opened. */
  | { readonly type: 'answer'; readonly value: number }
  /** The partition has a batch to judge. */
  | { readonly type: 'waits'; readonly partition: number }
  /** Everything up to the offset is judged. */
  | { readonly type: 'judged'; readonly partition: number; readonly offset: number };

const [brokers = '', prefix = ''] = process.argv.slice(2);
const tell = (report: Report): void => void process.send?.(report);
const log = kafkaLog({ brokers: brokers.split(',') });
const gate = gateOf(log, (partition) => tell({ type: 'waits', partition }));

let opened = process.cpuUsage();

process.on('message', (order: Order) => {
  if (order === 'open') {
    opened = process.cpuUsage();
    gate.open();
  } else if (order === 'account') {
    const { user, system } = process.cpuUsage(opened);
    tell({ type: 'answer', value: user + system });
  } else if (order === 'weigh') tell({ type: 'answer', value: weigh() });
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
