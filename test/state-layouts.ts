import { type restorePartition, SAVED_FORMAT } from '@loopwarden/detection';
import { STATE_LAYOUT, type StateLayout } from '@loopwarden/detector/parts';

/** What the next version writes. */
export const NEXT_FORMAT = SAVED_FORMAT + 1;

/** A saved run begins with so many texts and, after them, numbers of eight bytes. */
const [TEXTS, NUMBERS, NUMBER_BYTES] = [5, 3, 8];

/**
 * In that format a run's numbers stand in another order. Who takes one for the other reads what could be a run.
 * @param by places to the left
 */
function turned(run: Uint8Array, by: number): Uint8Array {
  let at = 0;
  for (let left = TEXTS; left > 0; left -= 1) at = endOfText(run, at);
  const end = at + NUMBERS * NUMBER_BYTES;
  const cut = at + by * NUMBER_BYTES;
  return Buffer.concat([
    run.subarray(0, at),
    run.subarray(cut, end),
    run.subarray(at, cut),
    run.subarray(end),
  ]);
}

/** A text stands behind a count, seven bits a byte: 0 for none, else twice its length and 1, or 2 where it is wide. */
function endOfText(run: Uint8Array, from: number): number {
  let [at, count, unit] = [from, 0, 1];
  for (let byte = 128; byte > 127; unit *= 128) {
    byte = run[at++] ?? 0;
    count += (byte % 128) * unit;
  }
  const isWide = count > 0 && count % 2 === 0;
  return at + Math.floor(Math.max(count - 1, 0) / 2) * (isWide ? 2 : 1);
}

function* turnedBack(runs: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const run of runs) yield turned(run, NUMBERS - 1);
}

type Reader = typeof restorePartition;

function readerOf(format: number): Reader {
  const reader = STATE_LAYOUT.readers.get(format);
  if (reader === undefined) throw new Error(`This version does not read format ${format}.`);
  return reader;
}

const readNow = readerOf(SAVED_FORMAT);
const readNext: Reader = (saved, options) => readNow({ ...saved, runs: turnedBack(saved.runs) }, options);

/** A version of which all is as it is, but that saves in another layout, which is the only one that it reads. */
export const FOREIGN_LAYOUT: StateLayout = {
  format: NEXT_FORMAT,
  saveRuns: (partition, limit) => STATE_LAYOUT.saveRuns(partition, limit).map((run) => turned(run, 1)),
  readers: new Map([[NEXT_FORMAT, readNext]]),
};

/** The next version as it should be: it reads the layout before its own too. */
export const NEXT_LAYOUT: StateLayout = {
  ...FOREIGN_LAYOUT,
  readers: new Map([...STATE_LAYOUT.readers, ...FOREIGN_LAYOUT.readers]),
};
