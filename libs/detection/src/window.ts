import { readDigest } from './digest-words.ts';
import type { Match, ToolCall, ToolResult } from './event.ts';
import { dropName, takeName } from './names.ts';
import { dropBlock, type Memory, RECORD_WORDS, takeBlock } from './pages.ts';
import {
  bucketOf,
  COUNT,
  cell,
  cellAt,
  ERROR,
  HEAD,
  isNewest,
  KIND,
  LEFT,
  NEWEST,
  NEXT,
  newestLike,
  OLDER,
  OUTCOME,
  POLL,
  placeAt,
  placesOf,
  RESULT,
  recordAt,
  SIZE,
  sizeOf,
  TAIL,
  TOOL,
  tailOf,
  toolOf,
  type Window,
} from './records.ts';
import { dropOldestTag, fillTag, moveTags } from './tags.ts';

type Called = Pick<ToolCall, 'tool' | 'args' | 'poll' | 'callId'>;
type Came = Pick<ToolResult, 'outcome' | 'digest' | 'missingTool'>;

/** Records that a window has room for at first. */
const SMALLEST = 8;

/** An empty window with room for so many records at first. */
export function openWindow(memory: Memory, capacity = SMALLEST): Window {
  return { tags: null, ...takeBlock(memory, capacity) };
}

/** Adds a pending record to a window of at most `size` and returns its place. The oldest make room. */
export function append(window: Window, call: Called, size: number): number {
  const tool = takeName(window.page.memory.names, call.tool);
  cutWindow(window, size - 1);
  if (sizeOf(window) === window.page.capacity) grow(window, size);
  const place = placeAt(window, sizeOf(window));
  const record = recordAt(window, place);
  readDigest(call.args, window.page.words, record);
  window.page.words[record + TOOL] = tool;
  window.page.cells[cellAt(window, place) + KIND] = call.poll ? POLL : 0;
  link(window, place);
  window.tags = { place, pending: true, text: call.callId, args: call.args, older: window.tags };
  return place;
}

/** Fills a pending record and returns the newest one of its signature. */
export function fill(window: Window, place: number, { outcome, digest, missingTool }: Came): number {
  const record = recordAt(window, place);
  readDigest(digest, window.page.words, record + OUTCOME);
  window.page.cells[cellAt(window, place) + KIND] =
    cell(window, place, KIND) | (outcome === 'error' ? ERROR : RESULT);
  fillTag(window, place, missingTool);
  return isNewest(window, place) ? place : newestLike(window, record);
}

/** The newest pending record of this signature; of this call too when it is named. */
export function findPending(window: Window, { tool, args, callId }: Called): number {
  for (let { tags: tag } = window; tag !== null; tag = tag.older) {
    const fits = tag.pending && tag.args === args && (callId === null || tag.text === callId);
    if (fits && toolOf(window, tag.place) === tool) return tag.place;
  }
  return 0;
}

/** Whether a record of this signature is in the window. */
export function holds(window: Window, { tool, args }: Pick<Match, 'tool' | 'args'>): boolean {
  const { words, memory, sketch } = window.page;
  readDigest(args, words, sketch);
  words[sketch + TOOL] = memory.names.ids.get(tool ?? '') ?? -1;
  return newestLike(window, sketch) !== 0;
}

/** The newest pending record of a call, whatever its signature. */
export function findPendingCall(window: Window, callId: string | null): number {
  if (callId === null) return 0;
  for (let { tags: tag } = window; tag !== null; tag = tag.older)
    if (tag.pending && tag.text === callId) return tag.place;
  return 0;
}

/** Cuts a window from the front to `size` records. */
export function cutWindow(window: Window, size: number): void {
  while (sizeOf(window) > size) evict(window);
}

/** Keeps some of the records, in their order. */
export function keepRecords(window: Window, keeps: (place: number) => boolean): void {
  rebuild(window, window.page.capacity, placesOf(window).filter(keeps));
}

/** Whether a signature has left the window since this was last asked. */
export function takeLeft({ page, base }: Window): boolean {
  const at = base * page.scale + LEFT;
  const left = page.cells[at] !== 0;
  page.cells[at] = 0;
  return left;
}

/** Empties a window and gives back what it holds. */
export function clearWindow(window: Window): void {
  cutWindow(window, 0);
  if (window.page.capacity > SMALLEST) rebuild(window, SMALLEST, []);
}

/** Gives a window's memory back; it is not used again. */
export function closeWindow(window: Window): void {
  cutWindow(window, 0);
  dropBlock(window);
}

function grow(window: Window, size: number): void {
  rebuild(window, Math.min(size, window.page.capacity * 2), placesOf(window));
}

/** Moves a window to a block of its own or another capacity, with the records of some places. */
function rebuild(window: Window, capacity: number, kept: readonly number[]): void {
  const old: Window = { page: window.page, base: window.base, tags: null };
  Object.assign(window, takeBlock(old.page.memory, capacity));
  /** By the place that a record had; 0: it is not kept. */
  const moved = new Array<number>(old.page.capacity + 1).fill(0);
  for (const place of kept) {
    moved[place] = placeAt(window, sizeOf(window));
    copyRecord({ from: old, place }, window);
  }
  if (kept.length < sizeOf(old))
    for (const place of placesOf(old)) if (moved[place] === 0) dropTool(old, place);
  window.page.cells[window.base * window.page.scale + LEFT] = 1;
  moveTags(window, moved);
  dropBlock(old);
}

function copyRecord({ from, place }: { from: Window; place: number }, to: Window): void {
  const target = placeAt(to, sizeOf(to));
  const [source, copy] = [recordAt(from, place), recordAt(to, target)];
  for (let word = 0; word < RECORD_WORDS; word += 1)
    to.page.words[copy + word] = from.page.words[source + word] as number;
  to.page.cells[cellAt(to, target) + KIND] = cell(from, place, KIND) & ~NEWEST;
  link(to, target);
}

/** Makes a written record the newest of the window and of its signature. */
export function link(window: Window, place: number): void {
  const { page, base } = window;
  const { cells, scale } = page;
  const header = base * scale;
  const record = recordAt(window, place);
  const own = (record + RECORD_WORDS) * scale;
  const like = newestLike(window, record);
  cells[header + TAIL] = tailWith(window, like);
  cells[header + SIZE] = sizeOf(window) + 1;
  cells[own + KIND] = (cells[own + KIND] as number) | NEWEST;
  cells[own + OLDER] = like;
  if (like === 0) {
    const bucket = bucketOf(window, record);
    cells[own + COUNT] = 1;
    cells[own + NEXT] = cells[bucket] as number;
    cells[bucket] = place;
  } else {
    const old = cellAt(window, like);
    cells[own + COUNT] = (cells[old + COUNT] as number) + 1;
    cells[own + NEXT] = cells[old + NEXT] as number;
    cells[old + KIND] = (cells[old + KIND] as number) & ~NEWEST;
    repoint(window, like, place);
  }
}

/** The alternating tail once a record joins whose signature was last seen at `like`. */
function tailWith(window: Window, like: number): number {
  const size = sizeOf(window);
  if (size === 0 || like === placeAt(window, size - 1)) return 1;
  const tail = tailOf(window);
  return tail >= 2 && like === placeAt(window, size - 2) ? tail + 1 : 2;
}

function evict(window: Window): void {
  const { page, base } = window;
  const header = base * page.scale;
  const place = placeAt(window, 0);
  if (isNewest(window, place)) {
    repoint(window, place, cell(window, place, NEXT));
    page.cells[header + LEFT] = 1;
  } else {
    const newest = newestLike(window, recordAt(window, place));
    page.cells[cellAt(window, newest) + COUNT] = cell(window, newest, COUNT) - 1;
  }
  if (window.tags !== null) dropOldestTag(window, place);
  dropTool(window, place);
  const size = sizeOf(window) - 1;
  page.cells[header + HEAD] = place < page.capacity ? place : 0;
  page.cells[header + SIZE] = size;
  page.cells[header + TAIL] = Math.min(tailOf(window), size);
}

function dropTool(window: Window, place: number): void {
  dropName(window.page.memory.names, window.page.words[recordAt(window, place) + TOOL] as number);
}

/** Whatever leads to a newest record leads to another place from now on. */
function repoint(window: Window, from: number, to: number): void {
  const { cells } = window.page;
  let pointer = bucketOf(window, recordAt(window, from));
  while (cells[pointer] !== from) pointer = cellAt(window, cells[pointer] as number) + NEXT;
  cells[pointer] = to;
}
