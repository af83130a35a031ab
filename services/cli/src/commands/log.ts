import type { PartitionRange, ReadFrom } from '@loopwarden/stream';
import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { choosePartitions } from '../records/partition-choice.ts';
import { readRecords } from '../records/read-records.ts';
import { recordJson } from '../records/record-json.ts';
import { onInterrupt } from '../terminal/interrupt.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

interface CatOptions {
  readonly partition?: string;
  readonly from?: string;
  readonly limit?: string;
}

const RECORDS = `
Each line is a record: {"topic", "partition", "offset", "timestamp", "key", "headers", "value"}; one that cannot be
decoded has "undecodable" and its "bytes" (base64) in place of a value.`;

/** Looks into the log. Everything printed is JSON, but for the overview. */
export function logCommand(output: Output = terminalOutput): Command {
  const log = new Command('log').summary('show what the log holds').description('Shows what the log holds.');
  withSettings(
    log
      .command('ls')
      .description('Topics, partitions and offsets.')
      .option('--json', 'print one object per partition'),
  ).action(async (options: { json?: boolean }) => {
    process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
      list(session, options.json === true),
    );
  });
  withSettings(
    log
      .command('cat')
      .description('Prints records, decoded, up to the end.')
      .argument('<topic>', 'with or without its prefix')
      .option('-p, --partition <number>', 'only this one')
      .option('--from <offset|time>', 'an offset, or a time in ISO 8601')
      .option('-n, --limit <number>', 'at most so many of each partition'),
  )
    .addHelpText('after', RECORDS)
    .action(async (topic: string, options: CatOptions) => {
      process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
        cat(session, topic, options),
      );
    });
  withSettings(
    log
      .command('tail')
      .description('Prints records, decoded, as they come; ends with Ctrl-C.')
      .argument('<topic>', 'with or without its prefix')
      .option('-p, --partition <number>', 'only this one')
      .option('-n, --last <number>', 'begin with the last so many of each partition'),
  )
    .addHelpText('after', RECORDS)
    .action(async (topic: string, options: { partition?: string; last?: string }) => {
      process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
        tail(session, topic, options),
      );
    });
  return log;
}

interface TopicRange extends PartitionRange {
  readonly topic: string;
}

async function list({ opened, output }: Session, json: boolean): Promise<Outcome<number>> {
  const rows: TopicRange[] = [];
  for (const topic of Object.values(opened.topics)) {
    for (const range of await opened.log.reader.ranges(topic)) rows.push({ topic, ...range });
  }
  const { out, paint } = output;
  const columns: readonly Column<TopicRange>[] = [
    { title: 'TOPIC', align: 'left', cell: ({ topic }) => topic },
    { title: 'PARTITION', align: 'right', cell: ({ partition }) => String(partition) },
    { title: 'START', align: 'right', cell: ({ start }) => String(start) },
    {
      title: 'END',
      align: 'right',
      cell: ({ end }) => String(end),
      paint: (text, { start, end }) => (end > start ? paint('bold', text) : paint('dim', text)),
    },
  ];
  const lines = json
    ? rows.map((row) => jsonText(row))
    : tableLines(columns, rows, (title) => paint('dim', title));
  for (const line of lines) out(line);
  return succeed(EXIT.clean);
}

async function cat(session: Session, name: string, options: CatOptions): Promise<Outcome<number>> {
  const { opened, output } = session;
  const chosen = await choosePartitions(opened, { topic: name, partition: options.partition });
  if (!chosen.ok) return chosen;
  const from = fromText(options.from);
  if (from === null)
    return refuse('bad_from', `--from must be an offset or a time in ISO 8601, and is "${options.from}".`);
  const limit = limitOf(options.limit);
  if (limit === null)
    return refuse('bad_limit', `--limit must be a whole number, and is "${options.limit}".`);
  const { topic, ranges } = chosen.value;
  for (const { partition } of ranges) {
    let left = limit;
    for await (const record of readRecords(opened, { topic, partition, from, until: 'end' })) {
      if (left === 0) break;
      output.out(recordJson(opened, record));
      left -= 1;
    }
  }
  return succeed(EXIT.clean);
}

async function tail(
  session: Session,
  name: string,
  options: { partition?: string; last?: string },
): Promise<Outcome<number>> {
  const { opened, output } = session;
  const chosen = await choosePartitions(opened, { topic: name, partition: options.partition });
  if (!chosen.ok) return chosen;
  const last = limitOf(options.last ?? '0');
  if (last === null) return refuse('bad_limit', `--last must be a whole number, and is "${options.last}".`);
  const { topic, ranges } = chosen.value;
  const signal = onInterrupt();
  const follow = async ({ partition, start, end }: PartitionRange): Promise<void> => {
    const from = { offset: Math.max(start, end - last) };
    for await (const record of readRecords(opened, { topic, partition, from, until: 'never', signal })) {
      output.out(recordJson(opened, record));
    }
  };
  await Promise.all(ranges.map(follow));
  return succeed(EXIT.clean);
}

/** Null: neither an offset nor a time. */
function fromText(text: string | undefined): ReadFrom | null {
  if (text === undefined) return 'start';
  if (/^\d+$/.test(text)) return { offset: Number(text) };
  const timestamp = Date.parse(text);
  return Number.isNaN(timestamp) ? null : { timestamp };
}

function limitOf(text: string | undefined): number | null {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
