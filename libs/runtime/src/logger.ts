import { isatty } from 'node:tty';
import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';
import { redact, redactText } from './redact.ts';

/** Writes one line: what happened as a sentence, and facts as fields. Fields are redacted, see `redact`. */
type LogLine = (message: string, fields?: object) => void;

/** What the rest of the product logs through; no type of the logging library crosses this border. */
export interface Logger {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  /** A logger whose lines name the component they come from, and further fields. */
  child(component: string, fields?: object): Logger;
}

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly format: 'auto' | 'json' | 'pretty';
  /**
   * Services write to stdout, where containers' collectors look. Commands write to stderr, because their
   * stdout is the answer, and may be piped.
   */
  readonly output: 'stdout' | 'stderr';
  /** In place of the output. */
  readonly stream?: DestinationStream;
}

/** A logger of JSON lines, or of coloured ones when a person is watching. Lines are written at once, so that none is lost in a crash. */
export function createLogger(options: LoggerOptions): Logger {
  const stream = options.stream ?? outputStream(options);
  const settings = {
    level: options.level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return wrap(pino(settings, stream));
}

/** A logger that writes nothing: for tests and for callers that did not ask for lines. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};

function ignore(): void {}

function outputStream({ format, output }: LoggerOptions): DestinationStream {
  const descriptor = output === 'stdout' ? 1 : 2;
  const forPeople = format === 'pretty' || (format === 'auto' && isatty(descriptor));
  const stream = forPeople
    ? pretty({ destination: descriptor, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' })
    : destination({ dest: descriptor, sync: true });
  // A full disk behind the output takes the lines with it, but not the service: health and metrics still tell.
  stream.on('error', ignore);
  return stream;
}

function wrap(inner: PinoLogger): Logger {
  const line =
    (level: 'debug' | 'info' | 'warn' | 'error'): LogLine =>
    (message, fields = {}) => {
      if (inner.isLevelEnabled(level)) inner[level](facts(fields), redactText(message));
    };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: (component, fields = {}) => wrap(inner.child({ ...facts(fields), component })),
  };
}

const TAKEN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'component']);

/** Fields ready to write. A name that the line itself has (a warning's `level`) gets an underscore behind it. */
function facts(fields: object): Record<string, unknown> {
  const entries = Object.entries(redact(fields));
  return Object.fromEntries(entries.map(([key, value]) => [TAKEN.has(key) ? `${key}_` : key, value]));
}
