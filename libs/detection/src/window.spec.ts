import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../test/given.ts';
import { plainView } from '../../../test/plain/view.ts';
import {
  type CallRecord,
  cutWindow as cutPlain,
  findPending as findPlain,
  findPendingCall as findPlainCall,
  newRecord,
} from '../../../test/plain/window.ts';
import { byteReader, byteWriter, takePiece } from './bytes.ts';
import { findingsIn, findingsOf } from './detectors.ts';
import type { Finding } from './finding.ts';
import { openMemory } from './pages.ts';
import { DEFAULT_SETTINGS } from './policy-defaults.ts';
import { placesOf, toolOf, type Window } from './records.ts';
import { restoreWindow, saveWindow } from './saved-window.ts';
import type { Settings } from './settings.ts';
import { isQuiet } from './view.ts';
import {
  append,
  clearWindow,
  cutWindow,
  fill,
  findPending,
  findPendingCall,
  keepRecords,
  openWindow,
} from './window.ts';

/** A compact window beside a plain list of records, which is fed the same. */
interface Pair {
  compact: Window;
  plain: CallRecord[];
}

const CALLS = [
  { tool: 'read', args: digestOf('a'), poll: false },
  { tool: 'read', args: digestOf('b'), poll: false },
  { tool: 'process', args: digestOf('a'), poll: true },
  { tool: 'process', args: digestOf('a'), poll: false },
  { tool: 'serach', args: digestOf('c'), poll: false },
];

const call = fc.oneof(
  { weight: 3, arbitrary: fc.nat(1) },
  { weight: 2, arbitrary: fc.nat(CALLS.length - 1) },
);
const callId = fc.constantFrom(null, 'one', 'two');
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ does: fc.constant('call'), call, callId }) },
  {
    weight: 9,
    arbitrary: fc.record({
      does: fc.constant('result'),
      call,
      callId,
      named: fc.nat(5),
      digest: fc.constantFrom('x', 'x', 'y'),
      outcome: fc.constantFrom('result', 'result', 'error'),
      missingTool: fc.constantFrom(null, null, 'serach'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('resize'), size: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('release'), call }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart') }) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 60, size: 'max' });

/** Thresholds so low that everything in the window is looked at, and ordinary small ones. */
const settings: fc.Arbitrary<Settings> = fc
  .record({ warning: fc.integer({ min: 1, max: 5 }), more: fc.integer({ min: 1, max: 3 }), on: fc.boolean() })
  .map(({ warning, more, on }) => ({
    ...DEFAULT_SETTINGS,
    enabled: true,
    warningThreshold: warning,
    criticalThreshold: warning + more,
    globalCircuitBreakerThreshold: warning + 2 * more,
    unknownToolThreshold: more,
    genericRepeat: on,
  }));

const open = (): Pair => ({ compact: openWindow(openMemory()), plain: [] });

interface Step {
  readonly does: string;
  readonly call?: number;
  readonly callId?: string | null;
  readonly named?: number;
  readonly size?: number;
  readonly digest?: string;
  readonly outcome?: string;
  readonly missingTool?: string | null;
}

/** Does one thing to both windows. Returns the newest record of the signature that was touched, if one was. */
function take(pair: Pair, made: Step, size: number): number {
  const { callId = null } = made;
  const called = { ...CALLS[made.call ?? 0], callId } as Parameters<typeof append>[1];
  switch (made.does) {
    case 'call':
      return addBoth(pair, called, size);
    case 'result':
      return fillBoth(pair, made, { called, size });
    case 'resize':
      cutWindow(pair.compact, size);
      cutPlain(pair.plain, size);
      return 0;
    case 'release':
      keepRecords(pair.compact, (place) => toolOf(pair.compact, place) !== called.tool);
      pair.plain = pair.plain.filter(({ tool }) => tool !== called.tool);
      return 0;
    default:
      pair.compact = restarted(pair.compact);
      return 0;
  }
}

function addBoth(pair: Pair, called: Parameters<typeof append>[1], size: number): number {
  pair.plain.push(newRecord(called));
  cutPlain(pair.plain, size);
  return append(pair.compact, called, size);
}

function fillBoth(
  pair: Pair,
  { named = 0, digest = '', outcome, missingTool = null }: Step,
  { called, size }: { called: Parameters<typeof append>[1]; size: number },
): number {
  const byCall = named === 0;
  const record = byCall ? findPlainCall(pair.plain, called.callId) : findPlain(pair.plain, called);
  let place = byCall ? findPendingCall(pair.compact, called.callId) : findPending(pair.compact, called);
  expect(place > 0).toBe(record !== undefined);
  if (place === 0) place = addBoth(pair, called, size);
  const kind = outcome === 'error' ? 'error' : 'result';
  const filled = record ?? pair.plain.at(-1);
  Object.assign(filled ?? {}, { outcome: `${kind}:${digestOf(digest)}`, missingTool });
  return fill(pair.compact, place, { outcome: kind, digest: digestOf(digest), missingTool });
}

function restarted(window: Window): Window {
  const writer = byteWriter();
  saveWindow(writer, window);
  return restoreWindow(byteReader(takePiece(writer)), openMemory());
}

const inOrder = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => (a.key < b.key ? -1 : 1));

describe('a compact window', () => {
  it('leads to the findings of a plain list of records, whatever happens to it', () => {
    fc.assert(
      fc.property(steps, settings, (story, thresholds) => {
        const pair = open();
        let size = 10;
        for (const made of story) {
          size = made.does === 'resize' && 'size' in made ? made.size : size;
          take(pair, made, size);
          const found = findingsOf(pair.compact, thresholds);
          expect(inOrder(found)).toEqual(inOrder(findingsIn(plainView(pair.plain), thresholds)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is quiet only where nothing could be found that was not found before', () => {
    fc.assert(
      fc.property(steps, settings, (story, thresholds) => {
        const pair = open();
        let before: readonly Finding[] = [];
        for (const made of story) {
          const touched = take(pair, made, 10);
          const quiet = touched > 0 && isQuiet(pair.compact, touched, thresholds);
          const after = findingsIn(plainView(pair.plain), thresholds);
          if (quiet && before.length === 0) expect(after).toEqual([]);
          before = after;
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([30, 100, 255, 256, 1000])('keeps its last %i records', (size) => {
    const window = openWindow(openMemory());
    const called = { tool: 'read', poll: false, callId: null };
    for (let turn = 0; turn < 2 * size + 7; turn += 1)
      append(window, { ...called, args: digestOf(`${turn}`) }, size);
    expect(placesOf(window)).toHaveLength(size);
    expect(findPending(window, { ...called, args: digestOf(`${size + 6}`) })).toBe(0);
    expect(findPending(window, { ...called, args: digestOf(`${size + 7}`) })).toBeGreaterThan(0);
    expect(placesOf(restarted(window))).toHaveLength(size);
  });

  it('gives back the tool names and the blocks that it needs no more', () => {
    const memory = openMemory();
    const windows = Array.from({ length: 100 }, () => openWindow(memory));
    for (const [index, window] of windows.entries()) {
      for (let turn = 0; turn < 30; turn += 1)
        append(window, { tool: `tool${index}`, args: digestOf(`${turn}`), poll: false, callId: null }, 30);
    }
    for (const window of windows) clearWindow(window);
    expect(memory.names.ids.size).toBe(0);
    const blocks = [...memory.stores.values()].map(({ shape, blocks: held }) => [shape.capacity, held]);
    for (const [capacity = 0, held = 0] of blocks) expect(held).toBeLessThan(capacity === 8 ? 300 : 100);
  });
});
