import { compilePolicy } from '@loopwarden/detection';
import { expect, test } from 'vitest';
import { EventReader } from '../event-reader.ts';
import type { JsonObject } from '../json-value.ts';
import type { PublicEvent } from '../transcript/public-event.ts';
import { Chain } from './chain.ts';

const HOUR = 3_600_000;
const SMALL = { enabled: true, warningThreshold: 2, criticalThreshold: 3 };

function policy(block: JsonObject = SMALL, loopwarden: JsonObject = { idle: '2h' }): JsonObject {
  return { tools: { loopDetection: block }, loopwarden };
}

/** What a chain decides about each call: an action, or nothing where none was asked for. */
function decided(document: JsonObject, events: readonly PublicEvent[]): string[] {
  const chain = new Chain(compilePolicy(document));
  const reader = new EventReader();
  return events.flatMap((recorded) => {
    const read = reader.read(recorded, { policy: chain.policy, revision: 1 });
    if (!read.ok) throw new Error(read.error.message);
    const { decision } = chain.take(read.value.event, read.value.at);
    return recorded.type === 'tool_call' ? [decision?.action ?? 'not asked'] : [];
  });
}

function loop(count: number, from = 0): PublicEvent[] {
  return Array.from({ length: count }, (_, index) => index + from).flatMap((index) => {
    const call = { runId: 'r', callId: `c${index}`, tool: 'read', args: {} };
    const at = 1_764_500_000_000 + index * 1_000;
    return [
      { ...call, type: 'tool_call', source: 'gw', sequence: 2 * index + 1, at },
      { ...call, type: 'tool_result', result: 'x', source: 'gw', sequence: 2 * index + 2, at },
    ];
  });
}

test('a gateway warns once, then refuses what its standing verdicts refuse', () => {
  expect(decided(policy(), loop(4))).toEqual(['allow', 'allow', 'warn', 'block']);
});

test('a redelivery is for the detector: no decision is asked for', () => {
  const events = loop(4);
  expect(decided(policy(), [...events.slice(0, 6), ...events.slice(4, 6)])).toEqual([
    'allow',
    'allow',
    'warn',
    'not asked',
  ]);
});

test('after a silence just short of the horizon the gateway attaches again and still knows what stands', () => {
  const events = loop(4);
  const [last] = events.slice(6);
  const shortly = { ...last, type: 'tool_call', runId: 'r', at: Number(last?.at) + 2 * HOUR - 30_000 };
  expect(decided(policy(), [...events.slice(0, 6), shortly]).at(-1)).toBe('block');
  const later = { ...shortly, at: Number(last?.at) + 2 * HOUR + 30_000 };
  expect(decided(policy(), [...events.slice(0, 6), later]).at(-1)).toBe('allow');
});

test('a result after a silence of the horizon ends what was heard before it', () => {
  const late = { ...loop(4).at(-1), type: 'tool_result', runId: 'r', at: Date.UTC(2026, 0, 1) };
  const next = { ...loop(1, 4)[0], type: 'tool_call', runId: 'r', at: Date.UTC(2026, 0, 1) };
  expect(decided(policy(), [...loop(4).slice(0, 6), late, next]).at(-1)).toBe('allow');
});

test('a run that ended begins from nothing', () => {
  const end = { type: 'run_end', runId: 'r', status: 'completed', source: 'gw', sequence: 7 };
  expect(decided(policy(), [...loop(3), end, ...loop(2, 4)]).slice(3)).toEqual(['allow', 'allow']);
});

test('where nothing is enforced no decision is asked for, and the calls enter the log', () => {
  expect(new Set(decided(policy(SMALL, { enforce: false }), loop(6)))).toEqual(new Set(['not asked']));
});
