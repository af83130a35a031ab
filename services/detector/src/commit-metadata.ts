/** What a commit says besides its offset (wire contract, section 11). */
export interface CommitMetadata {
  readonly lineage: number;
  readonly highestEpoch: number;
  readonly engine: string;
}

export function writeCommitMetadata({ lineage, highestEpoch, engine }: CommitMetadata): string {
  return JSON.stringify({ lineage, highestEpoch, engine });
}

/** Null: not written by a detector, or no metadata at all. */
export function readCommitMetadata(text: string): CommitMetadata | null {
  try {
    const read: unknown = JSON.parse(text);
    return isMetadata(read) ? read : null;
  } catch {
    return null;
  }
}

function isMetadata(read: unknown): read is CommitMetadata {
  if (typeof read !== 'object' || read === null) return false;
  const { lineage, highestEpoch, engine } = read as Record<string, unknown>;
  return Number.isSafeInteger(lineage) && Number.isSafeInteger(highestEpoch) && typeof engine === 'string';
}
