import {
  type ByteReader,
  type ByteWriter,
  readCount,
  readText,
  readWords,
  writeCount,
  writeText,
  writeWords,
} from './bytes.ts';
import { dropName, keepName, nameText, takeName } from './names.ts';
import type { Memory } from './pages.ts';
import {
  ARGS_WORDS,
  argsOf,
  cell,
  cellAt,
  FILLED,
  indexOf,
  KIND,
  OUTCOME_WORDS,
  POLL,
  placeAt,
  recordAt,
  sizeOf,
  TOOL,
  type Window,
} from './records.ts';
import type { Tag } from './tags.ts';
import { link, openWindow } from './window.ts';

/** A record begins with its tool's index times this, plus its kind. */
const KINDS = 8;

/** Writes the room of a window, its tools, its records from the oldest on, and the tags. */
export function saveWindow(writer: ByteWriter, window: Window): void {
  const size = sizeOf(window);
  const tools = toolsOf(window);
  writeCount(writer, window.page.capacity);
  writeCount(writer, tools.length);
  for (const tool of tools) writeText(writer, nameText(window.page.memory.names, tool));
  writeCount(writer, size);
  for (let index = 0; index < size; index += 1)
    saveRecord(writer, window, { place: placeAt(window, index), tools });
  saveTags(writer, window);
}

export function restoreWindow(reader: ByteReader, memory: Memory): Window {
  const capacity = readCount(reader);
  const window = openWindow(memory, capacity);
  const { names } = memory;
  const tools: number[] = [];
  for (let left = readCount(reader); left > 0; left -= 1) tools.push(takeName(names, readText(reader) ?? ''));
  const size = readCount(reader);
  for (let index = 0; index < size; index += 1) restoreRecord(reader, window, tools);
  for (const tool of tools) dropName(names, tool);
  restoreTags(reader, window);
  return window;
}

function toolsOf(window: Window): number[] {
  const tools: number[] = [];
  for (let index = sizeOf(window) - 1; index >= 0; index -= 1) {
    const tool = toolAt(window, placeAt(window, index));
    if (!tools.includes(tool)) tools.push(tool);
  }
  return tools;
}

function toolAt(window: Window, place: number): number {
  return window.page.words[recordAt(window, place) + TOOL] as number;
}

function saveRecord(
  writer: ByteWriter,
  window: Window,
  { place, tools }: { place: number; tools: readonly number[] },
): void {
  const kind = cell(window, place, KIND) & (FILLED | POLL);
  writeCount(writer, tools.indexOf(toolAt(window, place)) * KINDS + kind);
  writeWords(writer, window.page.words, [recordAt(window, place), wordsOf(kind)]);
}

function restoreRecord(reader: ByteReader, window: Window, tools: readonly number[]): void {
  const { page } = window;
  const head = readCount(reader);
  const kind = head % KINDS;
  const place = placeAt(window, sizeOf(window));
  const record = recordAt(window, place);
  const tool = tools[(head - kind) / KINDS] as number;
  keepName(page.memory.names, tool);
  readWords(reader, page.words, [record, wordsOf(kind)]);
  page.words[record + TOOL] = tool;
  page.cells[cellAt(window, place) + KIND] = kind;
  link(window, place);
}

/** A pending record has no outcome. */
function wordsOf(kind: number): number {
  return (kind & FILLED) === 0 ? ARGS_WORDS : ARGS_WORDS + OUTCOME_WORDS;
}

/** Newest first; a count of 0 ends them. */
function saveTags(writer: ByteWriter, window: Window): void {
  for (let { tags: tag } = window; tag !== null; tag = tag.older) {
    writeCount(writer, 1 + indexOf(window, tag.place) * 2 + Number(tag.pending));
    writeText(writer, tag.text);
  }
  writeCount(writer, 0);
}

function restoreTags(reader: ByteReader, window: Window): void {
  let newer: Tag | null = null;
  for (let head = readCount(reader); head > 0; head = readCount(reader)) {
    const place = placeAt(window, Math.floor((head - 1) / 2));
    const pending = head % 2 === 0;
    const args = pending ? argsOf(window, place) : '';
    const tag: Tag = { place, pending, text: readText(reader), args, older: null };
    if (newer === null) window.tags = tag;
    else newer.older = tag;
    newer = tag;
  }
}
