import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pages } from '../simulation/ledger.ts';

const SENTENCE = 'A new lineage begins: runs are renewed.';

/** A lineage after the first one, as the detector that began it says. */
export interface Beginning {
  readonly partition: number;
  readonly lineage: number;
  /** Where the fold began, and where its judging does. */
  readonly from: number;
  readonly to: number;
  /** From saved state, which covers events up to `from`. */
  readonly loaded: boolean;
  /** Why. */
  readonly newLineage: string;
}

/** What all detectors of a trial have said of lineages that began. */
export async function beginningsSaid(folder: string): Promise<readonly Beginning[]> {
  const files = (await readdir(folder)).filter((name) => /^detector-.*\.log$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) =>
      text
        .split('\n')
        // A line that a kill cut short says nothing.
        .filter((line) => line.includes(SENTENCE) && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Beginning),
    )
    .sort((one, other) => one.lineage - other.lineage);
}

/** Writes down how a lineage began; returns what is wrong with it. */
export function noteOrigin(
  { origins, claims, events }: Pages,
  { partition, lineage, from, to, loaded, newLineage }: Beginning,
): string[] {
  const covering = claims.find(({ what, offset }) => what === 'state' && offset === from);
  const told = /state is of lineage (\d+)/.exec(newLineage)?.[1];
  const of = told === undefined ? covering?.lineage : Number(told);
  const known = origins.get(lineage);
  if (known !== undefined && (known.from !== from || known.to !== to))
    return [`lineage ${lineage} of ${partition} began twice`];
  const reached = events.slice(from, to).reduce((newest, { timestamp }) => Math.max(newest, timestamp), 0);
  if (lineage <= Math.max(reached, ...[...origins.keys()].filter((other) => other !== lineage)))
    return [`lineage ${lineage} of ${partition} is not above what stood before`];
  if (loaded && of === undefined)
    return [`lineage ${lineage} of ${partition} goes on from a state of ${from} that nobody saw`];
  origins.set(lineage, { from, to, of: loaded ? (of ?? null) : null });
  return [];
}
