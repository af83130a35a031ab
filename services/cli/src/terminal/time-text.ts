/** Epoch milliseconds as ISO 8601. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** The time of day on this machine, for lines that appear as things happen. */
export function clockText(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
