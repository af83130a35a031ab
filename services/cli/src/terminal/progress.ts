import cliProgress from 'cli-progress';

/** Below this a replay is over before a bar could be read. */
const WORTH_A_BAR_BYTES = 8 * 1024 * 1024;
const WORTH_A_BAR_EVENTS = 100_000;

interface Progress {
  readonly add: (done: number) => void;
  readonly stop: () => void;
}

interface EventProgress extends Progress {
  /** Takes the bar away until it is drawn next, so that a line can be written. */
  readonly clear: () => void;
}

const NO_PROGRESS: EventProgress = { add: () => undefined, stop: () => undefined, clear: () => undefined };

const CLEAR_LINE = '\r\u001b[K';

/** A bar on standard error while long input is read, if that is a terminal. `total` null: not known. */
export function startProgress(total: number | null): Progress {
  if (total === null || total < WORTH_A_BAR_BYTES || !process.stderr.isTTY) return NO_PROGRESS;
  const bar = barOf('reading {bar} {percentage}%  {duration_formatted}');
  bar.start(total, 0);
  return { add: (bytes) => bar.increment(bytes), stop: () => bar.stop() };
}

/** The same for events of a log, with their rate and the time that is left. */
export function startEventProgress(total: number): EventProgress {
  if (total < WORTH_A_BAR_EVENTS || !process.stderr.isTTY) return NO_PROGRESS;
  const bar = barOf('judging {bar} {percentage}%  {rate} events/s, {eta_formatted} left');
  const started = performance.now();
  let done = 0;
  bar.start(total, 0, { rate: '–' });
  return {
    add(events) {
      done += events;
      const rate = Math.round((done / (performance.now() - started)) * 1_000);
      bar.increment(events, { rate: rate.toLocaleString('en') });
    },
    stop: () => bar.stop(),
    clear: () => void process.stderr.write(CLEAR_LINE),
  };
}

function barOf(format: string): cliProgress.SingleBar {
  return new cliProgress.SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true, etaBuffer: 100 },
    cliProgress.Presets.shades_classic,
  );
}
