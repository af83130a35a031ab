import cliProgress from 'cli-progress';

/** Below this a replay is over before a bar could be read. */
const WORTH_A_BAR_BYTES = 8 * 1024 * 1024;

interface Progress {
  readonly add: (bytes: number) => void;
  readonly stop: () => void;
}

const NO_PROGRESS: Progress = { add: () => undefined, stop: () => undefined };

/** A bar on standard error while long input is read, if that is a terminal. `total` null: not known. */
export function startProgress(total: number | null): Progress {
  if (total === null || total < WORTH_A_BAR_BYTES || !process.stderr.isTTY) return NO_PROGRESS;
  const bar = new cliProgress.SingleBar(
    {
      format: 'reading {bar} {percentage}%  {duration_formatted}',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0);
  return { add: (bytes) => bar.increment(bytes), stop: () => bar.stop() };
}
