import { digestText, sameDigest } from './digest-words.ts';
import type { Digest } from './event.ts';
import { nameText } from './names.ts';
import { type Block, HEADER_CELLS, type Page, RECORD_WORDS } from './pages.ts';
import type { Tag } from './tags.ts';

/**
 * The last records of a run: a ring in its block. A record is known by its place, from 1; 0 is none. Records of
 * one signature are chained from the newest to older ones, and the newest counts them: buckets lead to it.
 */
export interface Window extends Block {
  tags: Tag | null;
}

// Header cells. The oldest record stands at HEAD + 1; TAIL counts the alternating records at the end; LEFT is 1
// once a signature left.
export const HEAD = 0;
export const SIZE = 1;
export const TAIL = 2;
export const LEFT = 3;

// Words of a record: arguments, outcome, tool.
export const ARGS_WORDS = 4;
export const OUTCOME_WORDS = 4;
export const OUTCOME = ARGS_WORDS;
export const TOOL = 8;

// Cells of a record.
export const KIND = 0;
/** The next signature's newest record in the same bucket. */
export const NEXT = 1;
/** The record before of the same signature; means nothing beyond the count. */
export const OLDER = 2;
/** Records of the signature; only its newest record knows. */
export const COUNT = 3;

// Bits of KIND.
export const RESULT = 1;
export const ERROR = 2;
export const FILLED = RESULT | ERROR;
export const POLL = 4;
export const NEWEST = 8;

export function sizeOf({ page, base }: Window): number {
  return page.cells[base * page.scale + SIZE] as number;
}

/** Records at the end in which two signatures take turns; 1: no turns. */
export function tailOf({ page, base }: Window): number {
  return page.cells[base * page.scale + TAIL] as number;
}

/** The place of the record that has `index` older ones in the window. */
export function placeAt({ page, base }: Window, index: number): number {
  const slot = (page.cells[base * page.scale + HEAD] as number) + index;
  return (slot < page.capacity ? slot : slot - page.capacity) + 1;
}

/** How many older records the window has. */
export function indexOf({ page, base }: Window, place: number): number {
  const index = place - 1 - (page.cells[base * page.scale + HEAD] as number);
  return index < 0 ? index + page.capacity : index;
}

/** The places of all records, oldest first. */
export function placesOf(window: Window): number[] {
  return Array.from({ length: sizeOf(window) }, (_, index) => placeAt(window, index));
}

export function toolOf(window: Window, place: number): string {
  return nameText(window.page.memory.names, window.page.words[recordAt(window, place) + TOOL] as number);
}

export function argsOf(window: Window, place: number): Digest {
  return digestText(window.page.words, recordAt(window, place));
}

/** Kind and digest in one, so that equal outcomes are equal texts; null: pending. */
export function outcomeOf(window: Window, place: number): string | null {
  const kind = cell(window, place, KIND) & FILLED;
  if (kind === 0) return null;
  return `${kind === ERROR ? 'error' : 'result'}:${digestText(window.page.words, recordAt(window, place) + OUTCOME)}`;
}

export function isFilled(window: Window, place: number): boolean {
  return (cell(window, place, KIND) & FILLED) !== 0;
}

export function isPoll(window: Window, place: number): boolean {
  return (cell(window, place, KIND) & POLL) !== 0;
}

export function isNewest(window: Window, place: number): boolean {
  return (cell(window, place, KIND) & NEWEST) !== 0;
}

/** How many records the signature has; asked of its newest one. */
export function countOf(window: Window, newest: number): number {
  return cell(window, newest, COUNT);
}

/** The record before of the same signature; the caller counts. */
export function olderOf(window: Window, place: number): number {
  return cell(window, place, OLDER);
}

/** Whether two filled records have the same outcome. */
export function sameOutcome(window: Window, place: number, other: number): boolean {
  return (
    (cell(window, place, KIND) & FILLED) === (cell(window, other, KIND) & FILLED) &&
    sameDigest(window.page.words, recordAt(window, place) + OUTCOME, recordAt(window, other) + OUTCOME)
  );
}

export function sameTool(window: Window, place: number, other: number): boolean {
  const { words } = window.page;
  return words[recordAt(window, place) + TOOL] === words[recordAt(window, other) + TOOL];
}

/** The newest filled record of a signature; 0: all its records are pending. */
export function latestFilled(window: Window, newest: number): number {
  let place = newest;
  for (let left = countOf(window, newest); left > 0; left -= 1) {
    if (isFilled(window, place)) return place;
    place = olderOf(window, place);
  }
  return 0;
}

/**
 * How many outcomes of a signature in a row are equal, from the newest back; pending records are passed over.
 * Walks as far as they are: far only in a loop.
 */
export function streakOf({ page, base }: Window, newest: number): number {
  const { cells, words, scale, recordWords } = page;
  const zero = base + page.lead - recordWords;
  let record = zero + newest * recordWords;
  let left = cells[(record + RECORD_WORDS) * scale + COUNT] as number;
  let [streak, latest, came] = [0, 0, 0];
  for (; left > 0; left -= 1) {
    const own = (record + RECORD_WORDS) * scale;
    const kind = (cells[own + KIND] as number) & FILLED;
    if (streak === 0) [latest, came] = [record, kind];
    else if (kind !== 0 && (kind !== came || !sameDigest(words, record + OUTCOME, latest + OUTCOME))) break;
    if (kind !== 0) streak += 1;
    record = zero + (cells[own + OLDER] as number) * recordWords;
  }
  return streak;
}

/** The newest record with the signature of this one. */
export function newestLike(window: Window, record: number): number {
  const { page } = window;
  const { cells } = page;
  let place = cells[bucketOf(window, record)] as number;
  while (place !== 0) {
    const other = recordAt(window, place);
    if (sameSignature(page, other, record)) return place;
    place = cells[(other + RECORD_WORDS) * page.scale + NEXT] as number;
  }
  return 0;
}

export function bucketOf({ page, base }: Window, record: number): number {
  const { words, buckets, scale } = page;
  const hash = (words[record + 3] as number) + (words[record + TOOL] as number);
  return base * scale + HEADER_CELLS + (hash & (buckets - 1));
}

function sameSignature({ words }: Page, record: number, other: number): boolean {
  return words[record + TOOL] === words[other + TOOL] && sameDigest(words, record, other);
}

/** A record's first word. */
export function recordAt({ page, base }: Window, place: number): number {
  return base + page.lead + (place - 1) * page.recordWords;
}

export function cellAt(window: Window, place: number): number {
  return (recordAt(window, place) + RECORD_WORDS) * window.page.scale;
}

export function cell(window: Window, place: number, field: number): number {
  return window.page.cells[cellAt(window, place) + field] as number;
}
