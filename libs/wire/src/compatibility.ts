import type { AvroRecord, Compatibility } from '@loopwarden/schemas';
import { prepareUpcast } from './upcast.ts';

/**
 * Where versions of one record, oldest first, do not understand each other: a sentence each.
 * BACKWARD_TRANSITIVE: each version reads all older ones; FULL_TRANSITIVE: also the other way round.
 */
export function incompatibilities(
  versions: readonly AvroRecord[],
  compatibility: Compatibility,
): readonly string[] {
  const found: string[] = [];
  for (const [reader, ours] of versions.entries()) {
    for (const [writer, theirs] of versions.entries()) {
      if (writer === reader || (writer > reader && compatibility === 'BACKWARD_TRANSITIVE')) continue;
      const prepared = prepareUpcast(theirs, ours);
      if (prepared.ok) continue;
      found.push(`version ${reader + 1} cannot read version ${writer + 1}: ${prepared.detail}`);
    }
  }
  return found;
}
