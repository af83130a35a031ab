/** What the process says to its caller. Documented in `--help`; scripts rely on it. */
export const EXIT = {
  /** Nothing to report. */
  clean: 0,
  /** Something unexpected, or a case that does not hold. */
  failed: 1,
  /** The input or the arguments cannot be used. */
  badInput: 2,
  /** Replay found at least one verdict. */
  verdicts: 3,
} as const;
