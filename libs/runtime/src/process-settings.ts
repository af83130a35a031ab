import { type ConfigFault, fault } from './config.ts';
import { isLoopback } from './loopback.ts';
import { between, type ConfigOf, settingsTable } from './setting.ts';

/** Timers hold 31 bits of milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What every process of the product has: its log lines, its HTTP port, its way to stop. */
export const processSettings = settingsTable({
  'logger.level': {
    type: 'enum',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    text: 'Least severe log line that is written.',
  },
  'logger.format': {
    type: 'enum',
    values: ['auto', 'json', 'pretty'],
    default: 'auto',
    text: 'Form of log lines; auto is pretty on a terminal and JSON elsewhere.',
  },
  'http.enabled': {
    type: 'boolean',
    default: true,
    text: 'Whether to serve /livez, /readyz and /metrics.',
  },
  'http.host': {
    type: 'string',
    default: '127.0.0.1',
    text: 'Address to listen on; beyond loopback http.token is required.',
  },
  'http.port': {
    type: 'integer',
    default: 9464,
    check: between(0, 65_535),
    text: 'Port to listen on; 0 picks a free one.',
  },
  'http.token': {
    type: 'secret',
    default: null,
    check: (value) => (value.length >= 16 ? null : 'must have at least 16 characters.'),
    text: 'Bearer token that readers of /metrics and of details of /readyz must send.',
  },
  'metrics.enabled': {
    type: 'boolean',
    default: true,
    text: 'Whether to count and to serve /metrics.',
  },
  'stop.deadline': {
    type: 'duration',
    default: 20_000,
    check: between(100, LONGEST_TIMER),
    text: 'Longest time to finish work after a signal to stop.',
  },
});

/** Refuses to listen beyond loopback without a token. */
function httpNeedsToken(config: ConfigOf<typeof processSettings>): ConfigFault | null {
  const { enabled, host, token } = config.http;
  if (!enabled || token !== null || isLoopback(host)) return null;
  return fault('http.token', `must be set, because http.host ${host} lies beyond loopback.`);
}

/** All relations between the process settings. */
export const processRelations = [httpNeedsToken];
