import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { openEmbeddedLog } from '../../embedded-log.ts';

// Append-forever DIR TOPIC NAME: appends records with the texts NAME:0, NAME:1, … over two partitions, and says
// which were acknowledged.

const [dir = '', topic = '', name = ''] = argv.slice(2);
const log = await openEmbeddedLog({ dir });
const writer = log.writer();
const utf8 = new TextEncoder();

writeSync(1, 'ready\n');
for (let number = 0; ; number += 7) {
  const numbers = Array.from({ length: 7 }, (_, at) => number + at);
  await writer.append(
    numbers.map((at) => ({ topic, partition: at % 2, key: null, value: utf8.encode(`${name}:${at}`) })),
  );
  writeSync(1, `acknowledged ${numbers.at(-1)}\n`);
}
