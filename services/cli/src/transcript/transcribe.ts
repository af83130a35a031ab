import type { Line } from '../input/lines.ts';
import { isObject, type JsonObject, parseJson } from '../json-value.ts';
import type { Origin, TranscriptFormat, TranscriptReader } from './format.ts';
import { formatOf } from './formats.ts';
import type { PublicEvent } from './public-event.ts';

/** Lines without anything known after which a file is none of the known formats. */
const LINES_TO_RECOGNISE = 1_000;

/** What was found in one file. */
interface FileReport {
  readonly path: string;
  /** Null: none of the known formats. */
  format: TranscriptFormat | null;
  lines: number;
  /** Lines of types that say nothing about tools. */
  skipped: number;
  /** Lines that are no JSON object, or too long. */
  unreadable: number;
  /** The last line was cut off. */
  truncated: boolean;
}

/** An event and the line that it stands on. */
interface Transcribed {
  readonly event: PublicEvent;
  readonly line: number;
}

/**
 * The events of one transcript, in order, while its lines arrive. What the lines are is in the report when
 * the generator has ended; a file that is no transcript yields nothing.
 */
export async function* transcribe(
  lines: AsyncIterable<Line>,
  { origin, report }: { readonly origin: Origin; readonly report: FileReport },
): AsyncGenerator<Transcribed> {
  let reader: TranscriptReader | null = null;
  for await (const line of lines) {
    report.lines += 1;
    const object = readLine(line, report);
    if (object === null) continue;
    if (reader === null) {
      report.format = formatOf(object);
      reader = report.format?.open(origin) ?? null;
      if (reader === null && report.lines >= LINES_TO_RECOGNISE) return;
    }
    const events = reader?.read(object) ?? null;
    if (events === null) report.skipped += 1;
    for (const event of events ?? []) yield { event, line: line.number };
  }
  for (const event of reader?.end() ?? []) yield { event, line: report.lines };
}

export function openReport(path: string): FileReport {
  return { path, format: null, lines: 0, skipped: 0, unreadable: 0, truncated: false };
}

/** Why a file without a format was not replayed, for people. */
export function whyRefused({ path, lines }: FileReport): string {
  return lines === 0 ? `${path} is empty.` : `${path} is no transcript that can be replayed.`;
}

function readLine({ text, complete }: Line, report: FileReport): JsonObject | null {
  const value = text === null ? undefined : parseJson(text);
  if (isObject(value)) return value;
  if (text?.trim() === '') report.lines -= 1;
  else if (complete || text === null) report.unreadable += 1;
  else report.truncated = true;
  return null;
}
