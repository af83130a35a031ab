import type { InRecord, PartitionRange, ReadFrom } from '@loopwarden/stream';
import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { firstRecords, lastRecords } from '../records/bounded-records.ts';
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
      .option(
        '-n, --limit <number>',
        'only the first so many of them all, by time; without it all, one partition after the other',
      ),
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
      .option('-n, --last <number>', 'begin with the last so many of them all, by time'),
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
  const limit = options.limit === undefined ? null : countOf(options.limit);
  if (limit === undefined)
    return refuse('bad_limit', `--limit must be a whole number, and is "${options.limit}".`);
  const { topic, ranges } = chosen.value;
  const print = (record: InRecord): void => output.out(recordJson(opened, record));
  if (limit !== null) {
    for await (const record of firstRecords(opened, { topic, ranges, from }, limit)) print(record);
    return succeed(EXIT.clean);
  }
  for (const { partition } of ranges) {
    for await (const record of readRecords(opened, { topic, partition, from, until: 'end' })) print(record);
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
  const last = countOf(options.last ?? '0');
  if (last === undefined)
    return refuse('bad_limit', `--last must be a whole number, and is "${options.last}".`);
  const { topic, ranges } = chosen.value;
  const signal = onInterrupt();
  const print = (record: InRecord): void => output.out(recordJson(opened, record));
  for (const record of await lastRecords(opened, { topic, ranges }, last)) print(record);
  const follow = async ({ partition, end }: PartitionRange): Promise<void> => {
    const following = { topic, partition, from: { offset: end }, until: 'never', signal } as const;
    for await (const record of readRecords(opened, following)) print(record);
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

/** Undefined: no whole number. */
function countOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
