import { digestOf } from '../station.ts';

/** A call as the log knows it. */
export interface Call {
  readonly tool: string;
  readonly args: string;
  readonly poll: boolean;
}

/** All calls that agents of a world make. */
export const CALLS: readonly [Call, ...Call[]] = [
  { tool: 'read', args: digestOf('a1'), poll: false },
  { tool: 'read', args: digestOf('a2'), poll: false },
  { tool: 'process', args: digestOf('a3'), poll: true },
  { tool: 'serach', args: digestOf('a4'), poll: false },
];

export const RUNS = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'] as const;

const block = {
  enabled: true,
  historySize: 8,
  warningThreshold: 2,
  criticalThreshold: 4,
  globalCircuitBreakerThreshold: 6,
  unknownToolThreshold: 2,
  postCompactionGuard: { windowSize: 2 },
};
const document = (own: object, rest: object = {}): string =>
  JSON.stringify({ tools: { loopDetection: { ...block, ...own } }, loopwarden: { idle: '1h' }, ...rest });

/** Policies that operators of a world apply; the first one is in force from the beginning. */
export const POLICIES: readonly string[] = [
  document({}),
  document({ warningThreshold: 3, criticalThreshold: 5, historySize: 6 }),
  document({ observe: true }),
  document({ historySize: 3 }),
  document({}, { loopwarden: { idle: '2h' } }),
  document({}, { agents: { list: [{ id: 'beta', tools: { loopDetection: { enabled: false } } }] } }),
  '{"tools":',
];

/** The longest idle horizon of the policies, and some. */
export const LONG_SILENCE_MS = 2.1 * 3_600_000;
