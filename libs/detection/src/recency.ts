import type { RunState } from './run.ts';

/** All runs of a partition in a line, by when they were last active. */
export interface Recency {
  oldest: RunState | null;
  newest: RunState | null;
}

/** The run is the most recently active one from now on; it may be new to the line. */
export function moveToNewest(line: Recency, run: RunState): void {
  if (line.newest === run) return;
  leaveLine(line, run);
  run.older = line.newest;
  if (line.newest === null) line.oldest = run;
  else line.newest.newer = run;
  line.newest = run;
}

/** Takes a run out of the line, if it is in it. */
export function leaveLine(line: Recency, run: RunState): void {
  const { newer, older } = run;
  if (newer !== null) newer.older = older;
  else if (line.newest === run) line.newest = older;
  if (older !== null) older.newer = newer;
  else if (line.oldest === run) line.oldest = newer;
  run.newer = null;
  run.older = null;
}

/** The runs of a line, least recently active first. */
export function* inLine({ oldest }: Recency): Generator<RunState> {
  for (let run = oldest; run !== null; run = run.newer) yield run;
}
