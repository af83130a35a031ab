import { type Names, openNames } from './names.ts';

/**
 * Memory for windows. A window is one block: a header and buckets in cells, then records of digest words, a
 * tool word and cells. Blocks of one capacity lie side by side in pages, so that a run costs no buffer of its
 * own. A cell is a byte as long as every place in the block fits one, else a word.
 */
export interface Page extends Shape {
  readonly memory: Memory;
  readonly store: Store;
  readonly words: Int32Array;
  readonly cells: Uint8Array | Int32Array;
  /** A record of no block, to compare others with. */
  readonly sketch: number;
  /** Blocks in use. */
  used: number;
  /** Blocks never used begin here. */
  fresh: number;
  /** Where blocks never used end. */
  readonly end: number;
  /** Blocks given back, by their first word. */
  readonly free: number[];
}

interface Shape {
  /** Records to a block. */
  readonly capacity: number;
  /** A power of two. */
  readonly buckets: number;
  /** Cells to a word. */
  readonly scale: number;
  /** Words before a block's first record. */
  readonly lead: number;
  readonly recordWords: number;
  readonly blockWords: number;
}

/** All pages of one shape that have room. */
interface Store {
  readonly shape: Shape;
  /** Blocks in all its pages, full ones too. */
  blocks: number;
  readonly roomy: Page[];
}

/** What the windows of one partition share. */
export interface Memory {
  readonly names: Names;
  /** By capacity of their blocks. */
  readonly stores: Map<number, Store>;
}

/** Where a block begins. */
export interface Block {
  page: Page;
  /** Its first word. */
  base: number;
}

/** Cells before the buckets of a block. */
export const HEADER_CELLS = 4;
/** Words of a record before its cells: arguments, outcome, tool. */
export const RECORD_WORDS = 9;
const RECORD_CELLS = 4;

/** Places that a byte can hold, besides none. */
const NARROW_MAX = 255;
const PAGE_WORDS = 65_536;
const BLOCKS_MIN = 4;

export function openMemory(): Memory {
  return { names: openNames(), stores: new Map() };
}

/** A block of zeros. */
export function takeBlock(memory: Memory, capacity: number): Block {
  const store = storeFor(memory, capacity);
  const page = store.roomy.at(-1) ?? addPage(memory, store);
  const given = page.free.pop();
  const base = given ?? page.fresh;
  if (given === undefined) page.fresh += page.blockWords;
  else page.words.fill(0, base, base + page.blockWords);
  page.used += 1;
  if (isFull(page)) store.roomy.pop();
  return { page, base };
}

/** Gives a block back. An empty page goes too, unless it is the last one with room. */
export function dropBlock({ page, base }: Block): void {
  const { store } = page;
  if (isFull(page)) store.roomy.push(page);
  page.free.push(base);
  page.used -= 1;
  if (page.used > 0 || store.roomy.length === 1) return;
  store.blocks -= page.end / page.blockWords;
  store.roomy.splice(store.roomy.indexOf(page), 1);
}

function isFull(page: Page): boolean {
  return page.free.length === 0 && page.fresh === page.end;
}

function storeFor({ stores }: Memory, capacity: number): Store {
  const known = stores.get(capacity);
  if (known !== undefined) return known;
  const store = { shape: shapeOf(capacity), blocks: 0, roomy: [] };
  stores.set(capacity, store);
  return store;
}

function shapeOf(capacity: number): Shape {
  const scale = capacity > NARROW_MAX ? 1 : 4;
  const buckets = Math.max(4, 2 ** Math.ceil(Math.log2(capacity)));
  const lead = (HEADER_CELLS + buckets) / scale;
  const recordWords = RECORD_WORDS + RECORD_CELLS / scale;
  return { capacity, buckets, scale, lead, recordWords, blockWords: lead + capacity * recordWords };
}

/** Pages grow with what their store holds, so that a small partition stays small. */
function addPage(memory: Memory, store: Store): Page {
  const { shape } = store;
  const most = Math.max(1, Math.floor(PAGE_WORDS / shape.blockWords));
  const blocks = Math.min(most, Math.max(BLOCKS_MIN, store.blocks));
  const end = blocks * shape.blockWords;
  const words = new Int32Array(end + shape.recordWords);
  const cells = shape.scale === 1 ? words : new Uint8Array(words.buffer);
  const start = { used: 0, fresh: 0, end, free: [] };
  const page: Page = { ...shape, memory, store, words, cells, sketch: end, ...start };
  store.blocks += blocks;
  store.roomy.push(page);
  return page;
}
