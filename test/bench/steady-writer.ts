import { argv, hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';

// Steady-writer DIR RATE SECONDS: appends RATE records a second to the topic `latency`, each with its time of sending.

const [dir = '', rate = '', seconds = ''] = argv.slice(2);
const total = Number(rate) * Number(seconds);
const log = await openEmbeddedLog({ dir });
const writer = log.writer();
const begun = hrtime.bigint();
const appends: Promise<unknown>[] = [];

while (appends.length < total) {
  const due = Math.min(total, (Number(hrtime.bigint() - begun) / 1e9) * Number(rate));
  while (appends.length < due) appends.push(writer.append([record()]));
  await sleep(1);
}
await Promise.all(appends);
await log.close();

function record(): { topic: string; partition: number; key: string; value: Uint8Array } {
  const value = Buffer.alloc(300);
  value.writeBigUint64BE(hrtime.bigint());
  return { topic: 'latency', partition: 0, key: 'run', value };
}
