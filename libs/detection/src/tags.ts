import type { Digest } from './event.ts';

/**
 * What a record carries beyond its block: a pending one the id of its call, a filled one the name of the tool
 * that it says is missing. A list, newest record first; most records leave it when their outcome comes.
 */
export interface Tag {
  /** Of the record in its block. */
  place: number;
  pending: boolean;
  text: string | null;
  /** Arguments of a pending record as they came; else empty. */
  args: Digest;
  older: Tag | null;
}

/** Whoever holds such a list. */
interface Tagged {
  tags: Tag | null;
}

/** A record is filled: its call id goes, and what it says is missing stays. */
export function fillTag(tagged: Tagged, place: number, missingTool: string | null): void {
  let newer: Tag | null = null;
  for (let tag = tagged.tags; tag !== null; newer = tag, tag = tag.older) {
    if (tag.place !== place) continue;
    tag.pending = false;
    tag.text = missingTool;
    tag.args = '';
    if (missingTool === null) unlink(tagged, newer, tag);
    return;
  }
}

/** The oldest record leaves: its tag, if it has one, is the last. */
export function dropOldestTag(tagged: Tagged, place: number): void {
  let newer: Tag | null = null;
  for (let tag = tagged.tags; tag !== null; newer = tag, tag = tag.older) {
    if (tag.older === null && tag.place === place) unlink(tagged, newer, tag);
  }
}

/** Records moved to other places: by the place that they had; 0: away. */
export function moveTags(tagged: Tagged, places: readonly number[]): void {
  let newer: Tag | null = null;
  for (let tag = tagged.tags; tag !== null; tag = tag.older) {
    const place = places[tag.place] as number;
    if (place === 0) {
      unlink(tagged, newer, tag);
    } else {
      tag.place = place;
      newer = tag;
    }
  }
}

function unlink(tagged: Tagged, newer: Tag | null, { older }: Tag): void {
  if (newer === null) tagged.tags = older;
  else newer.older = older;
}
