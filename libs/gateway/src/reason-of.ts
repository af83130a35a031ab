/** What something that was thrown says of itself, whatever it is. */
export function reasonOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return 'no reason was given';
  }
}
