import type { AvroRecord, Compatibility } from '@loopwarden/schemas';
import { avroType } from './avro-form.ts';

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
      const why = unreadable(ours, theirs);
      if (why !== null) found.push(`version ${reader + 1} cannot read version ${writer + 1}: ${why}`);
    }
  }
  return found;
}

/** avsc says by an exception that a reader's schema does not fit a writer's. */
function unreadable(reader: AvroRecord, writer: AvroRecord): string | null {
  try {
    avroType(reader).createResolver(avroType(writer));
    return null;
  } catch (error) {
    return String(error);
  }
}
