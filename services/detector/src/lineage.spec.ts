import { ENGINE } from '@loopwarden/detection';
import { describe, expect, it } from 'vitest';
import { writeCommitMetadata } from './commit-metadata.ts';
import { newLineageReason } from './lineage.ts';

const commit = (offset: number, lineage = 0, engine = ENGINE) => ({
  offset,
  metadata: writeCommitMetadata({ lineage, highestEpoch: 5, engine }),
});

/** A fold from the start of a whole log, committed up to its end. */
const WHOLE = {
  from: 0,
  state: { lineage: 0, engine: ENGINE },
  committed: commit(9),
  end: 9,
  controlIsEmpty: false,
};

describe('a lineage goes on', () => {
  it.each([
    ['with a fold from offset 0', WHOLE],
    ['with the first owner of an empty log', { ...WHOLE, committed: null, controlIsEmpty: true }],
    [
      'with loaded state of the same lineage',
      { ...WHOLE, from: null, state: { lineage: 7, engine: ENGINE }, committed: commit(9, 7) },
    ],
    ['with a commit that nobody wrote metadata for', { ...WHOLE, committed: { offset: 9, metadata: '' } }],
  ])('%s', (_when, origin) => {
    expect(newLineageReason(origin)).toBeNull();
  });
});

describe('a new lineage begins', () => {
  it.each([
    ['where the log has lost its beginning', { ...WHOLE, from: 3 }, 'the fold began at offset 3'],
    ['where the log has lost its end', { ...WHOLE, end: 4 }, 'the log ends at 4'],
    ['where verdicts stand that no commit covers', { ...WHOLE, committed: null }, 'no commit covers'],
    [
      'after a lineage that the fold is not of',
      { ...WHOLE, committed: commit(9, 7) },
      'of lineage 0, the commit of 7',
    ],
    ['with another engine', { ...WHOLE, committed: commit(9, 0, '0') }, 'of engine 1, the commit of 0'],
    [
      'with state and commit of another engine',
      { ...WHOLE, from: null, state: { lineage: 0, engine: '0' }, committed: commit(9, 0, '0') },
      'the commit is of engine 0',
    ],
  ])('%s', (_when, origin, reason) => {
    expect(newLineageReason(origin)).toContain(reason);
  });
});
