import type { InRecord } from '@loopwarden/stream';
import type { DeadLetter } from '@loopwarden/wire';
import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from '../records/read-records.ts';
import { decode, plainBytes } from '../records/record-json.ts';
import { bytesLines } from '../terminal/bytes-lines.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { counted, printable } from '../terminal/printable.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { timeText } from '../terminal/time-text.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

/** A dead letter and its number: where it stands in the topic of dead letters. */
interface NumberedLetter extends DeadLetter {
  readonly number: number;
}

interface ListOptions {
  readonly code?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export function deadLettersCommand(output: Output = terminalOutput): Command {
  const letters = new Command('dead-letters')
    .summary('show records that could not be judged, and why')
    .description('Shows records that could not be judged, and why.');
  withSettings(
    letters
      .command('list')
      .description('The newest dead letters, oldest of them first.')
      .option('--code <code>', 'only with this reason')
      .option('-n, --limit <number>', 'at most so many', '50')
      .option('--json', 'print one object per letter'),
  ).action(async (options: ListOptions) => {
    process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
      list(session, options),
    );
  });
  withSettings(
    letters
      .command('show')
      .description('One dead letter with the bytes that it holds.')
      .argument('<number>', 'as in the list')
      .option('--json', 'print one object; bytes in base64'),
  ).action(async (number: string, options: { json?: boolean }) => {
    process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
      show(session, number, options.json === true),
    );
  });
  return letters;
}

async function list(
  { opened, output }: Session,
  { code, limit, json }: ListOptions,
): Promise<Outcome<number>> {
  if (!/^[1-9]\d{0,6}$/.test(limit))
    return refuse('bad_limit', `--limit must be a number above 0, and is "${limit}".`);
  const all = await readLetters(opened);
  const matching = code === undefined ? all : all.filter((letter) => letter.code === code);
  const shown = matching.slice(-Number(limit));
  const { out, paint } = output;
  if (json) {
    for (const { key: _key, value: _value, ...letter } of shown)
      out(jsonText({ ...letter, timestamp: timeText(letter.timestamp) }));
  } else if (shown.length === 0) {
    out(paint('green', 'No dead letters.'));
  } else {
    for (const line of tableLines(COLUMNS, shown, (title) => paint('dim', title))) out(line);
    const hidden = matching.length - shown.length;
    if (hidden > 0) out(paint('dim', `${counted(hidden, 'older one')} not shown: --limit`));
  }
  return succeed(EXIT.clean);
}

const COLUMNS: readonly Column<NumberedLetter>[] = [
  { title: 'NUMBER', align: 'right', cell: ({ number }) => String(number) },
  { title: 'RECORD OF', align: 'left', cell: ({ timestamp }) => timeText(timestamp) },
  { title: 'CODE', align: 'left', cell: ({ code }) => printable(code, 32) },
  {
    title: 'ORIGIN',
    align: 'left',
    cell: ({ topic, partition, offset }) => `${printable(topic, 40)}:${partition}:${offset}`,
  },
  { title: 'REASON', align: 'left', cell: ({ detail }) => printable(detail, 80) },
];

async function show({ opened, output }: Session, number: string, json: boolean): Promise<Outcome<number>> {
  const found = (await readLetters(opened)).find((letter) => String(letter.number) === number);
  if (found === undefined)
    return refuse('no_letter', `There is no dead letter ${number}. See: loopwarden dead-letters list`);
  const { out, paint } = output;
  if (json) {
    out(jsonText({ ...found, timestamp: timeText(found.timestamp) }, { replacer: plainBytes }));
    return succeed(EXIT.clean);
  }
  const { code, detail, topic, partition, offset, timestamp, key, value } = found;
  out(`${paint('bold', code)}  ${printable(detail, 400)}`);
  out(`record of ${timeText(timestamp)} at ${printable(topic)}, partition ${partition}, offset ${offset}`);
  for (const [title, bytes] of [
    ['key', key],
    ['value', value],
  ] as const) {
    out(paint('dim', `${title}: ${bytes === null ? 'none' : counted(bytes.length, 'byte')}`));
    for (const line of bytesLines(bytes ?? new Uint8Array())) out(`  ${line}`);
  }
  out(readableNow(opened, found));
  return succeed(EXIT.clean);
}

/** A newer version may read what an older one could not. */
function readableNow(opened: OpenedLog, { topic, partition, offset, value }: NumberedLetter): string {
  const decoded = value === null ? null : decode(opened, topic, value);
  return decoded?.ok === true
    ? `This version can decode the value. See it with: loopwarden log cat ${printable(topic)} -p ${partition} --from ${offset} -n 1`
    : 'This version cannot decode the value either.';
}

async function readLetters(opened: OpenedLog): Promise<readonly NumberedLetter[]> {
  const letters: NumberedLetter[] = [];
  const whole = { topic: opened.topics.deadLetters, partition: 0, from: 'start', until: 'end' } as const;
  for await (const record of readRecords(opened, whole)) letters.push(letterOf(opened, record));
  return letters;
}

/** A letter that cannot be read itself is shown as one: nothing is silent. */
function letterOf({ codec }: OpenedLog, record: InRecord): NumberedLetter {
  const { offset: number, value, topic, partition, offset, timestamp, key } = record;
  const decoded = value === null ? null : codec.decodeDeadLetter(value);
  if (decoded?.ok) return { ...decoded.value, number };
  const detail = decoded === null ? 'the record has no value' : decoded.detail;
  return { number, topic, partition, offset, timestamp, code: 'unreadable_letter', detail, key, value };
}
