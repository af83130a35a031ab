import type { Config } from '../config/settings.ts';
import type { Output } from '../terminal/output.ts';
import type { Stack } from './start-stack.ts';

/** Where things are, for whoever started them. */
export function upLines(
  stack: Stack,
  { config, logFile }: { config: Config; logFile: string },
  { paint }: Output,
): readonly string[] {
  const { opened, policy, port } = stack;
  const health =
    port === null ? 'switched off' : `http://${urlHost(config.http.host)}:${port}/readyz and /metrics`;
  const rows = [
    ['data', opened.place],
    ['policy', policy.text],
    ['health', health],
    ['log lines', logFile],
  ];
  return [
    paint('bold', 'Loopwarden is up.'),
    ...rows.map(([name, text]) => `  ${paint('dim', (name ?? '').padEnd(9))}  ${text}`),
    '',
    'Verdicts appear here as they come. Ctrl-C stops.',
  ];
}

function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
