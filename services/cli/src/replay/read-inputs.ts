import type { Input } from '../input/inputs.ts';
import { readLines } from '../input/lines.ts';
import { printableLines } from '../terminal/printable.ts';
import type { TranscriptFormat } from '../transcript/format.ts';
import { openReport, transcribe, whyRefused } from '../transcript/transcribe.ts';
import type { Replay } from './replay.ts';

/** Files without a transcript that are named; the others are counted. */
const NAMED_FILES = 20;

/** What was read, over all files. */
export interface InputTotals {
  readonly formats: Map<TranscriptFormat['id'], number>;
  /** Files that hold no transcript and links, and the names of the first of them. */
  refused: number;
  readonly refusedFiles: string[];
  lines: number;
  events: number;
  /** Lines of types that say nothing about tools. */
  skipped: number;
  /** Lines that are no JSON object, or too long. */
  unreadable: number;
  /** Files whose last line was cut off. */
  truncated: number;
  /** Events that break a rule of the event form. */
  invalid: number;
}

interface InputHandlers {
  /** A sentence on a file that was not replayed. */
  readonly refused: (sentence: string) => void;
  /** A sentence on an event that was left out, with file and line. */
  readonly invalid: (sentence: string) => void;
  readonly progress: (bytes: number) => void;
}

/** Feeds the files one after the other, each line by line: memory does not grow with them. */
export class InputReading {
  readonly totals: InputTotals = {
    formats: new Map(),
    refused: 0,
    refusedFiles: [],
    lines: 0,
    events: 0,
    skipped: 0,
    unreadable: 0,
    truncated: 0,
    invalid: 0,
  };
  readonly #handlers: InputHandlers;
  readonly #copies = new Map<string, number>();

  constructor(handlers: InputHandlers) {
    this.#handlers = handlers;
  }

  async read(input: Input, replay: Replay): Promise<void> {
    const report = openReport(input.path);
    const origin = { path: input.path, claim: (session: string) => this.#claim(session) };
    const lines = readLines(counting(input.open(), this.#handlers.progress));
    try {
      for await (const { event, line } of transcribe(lines, { origin, report })) {
        this.totals.events += 1;
        const error = replay.feed(event);
        if (error === null) continue;
        this.totals.invalid += 1;
        this.#handlers.invalid(printableLines(`${input.path}:${line}: ${error.message}`));
      }
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.refuse(input.path, `${input.path} cannot be read (${error.code}).`);
      return;
    }
    if (report.format === null) return this.refuse(input.path, whyRefused(report));
    const { totals } = this;
    totals.formats.set(report.format.id, (totals.formats.get(report.format.id) ?? 0) + 1);
    totals.lines += report.lines;
    totals.skipped += report.skipped;
    totals.unreadable += report.unreadable;
    totals.truncated += report.truncated ? 1 : 0;
  }

  /** Counts a file that is not replayed; the first ones are named. */
  refuse(path: string, sentence: string): void {
    const { totals } = this;
    totals.refused += 1;
    if (totals.refusedFiles.length >= NAMED_FILES) return;
    totals.refusedFiles.push(path);
    this.#handlers.refused(printableLines(sentence));
  }

  /** A copy of a session in a second file is replayed under a name of its own, not added to the first. */
  #claim(session: string): string {
    const copy = (this.#copies.get(session) ?? 0) + 1;
    this.#copies.set(session, copy);
    return copy === 1 ? session : `${session}@${copy}`;
  }
}

async function* counting(
  chunks: AsyncIterable<Uint8Array>,
  progress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    progress(chunk.length);
    yield chunk;
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
