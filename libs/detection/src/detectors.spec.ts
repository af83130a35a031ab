import { describe, expect, it } from 'vitest';
import { digestOf, given as givenPolicy, SMALL, type World } from '../../../test/given.ts';
import { levelOf } from './detectors.ts';

const missing = { outcome: 'error', missingTool: 'serach', tool: 'serach' } as const;

function withBlock(block: object): typeof SMALL {
  return { ...SMALL, tools: { loopDetection: { ...SMALL.tools?.loopDetection, ...block } } };
}

describe('generic repeat', () => {
  it('says nothing of one call, nor just below the threshold', () => {
    const world = givenPolicy();
    expect(world.turn('x')).toEqual([]);
    expect(world.turn('x')).toEqual([]);
  });

  it('warns at the threshold whatever came back, pending calls included', () => {
    const world = givenPolicy();
    world.turn('x');
    world.turn('y');
    expect(world.call()).toEqual(['#1 warn read(a) generic_repeat×3 level 1']);
  });

  it('blocks equal outcomes in a row, passing over other calls', () => {
    const world = givenPolicy();
    for (let turn = 0; turn < 4; turn += 1) world.turn('x');
    world.turn('y', { tool: 'write' });
    world.call();
    expect(world.result('x')).toEqual(['#6 block read(a) generic_repeat×5 ends #4']);
  });

  it('starts over when the newest outcome is another one', () => {
    const world = givenPolicy();
    for (let turn = 0; turn < 4; turn += 1) world.turn('x');
    world.turn('y');
    expect(world.turn('x').filter((line) => line.includes('block'))).toEqual([]);
  });

  it('does not count known polls', () => {
    const world = givenPolicy(withBlock({ detectors: { knownPollNoProgress: false } }));
    for (let turn = 0; turn < 6; turn += 1) expect(world.turn('x', { poll: true })).toEqual([]);
  });
});

describe('known poll without progress', () => {
  it('warns and blocks on equal outcomes only', () => {
    const world = givenPolicy();
    const lines = Array.from({ length: 5 }, () => world.turn('x', { poll: true })).flat();
    expect(lines).toEqual([
      '#1 warn read(a) known_poll_no_progress×3 level 1',
      '#2 warn read(a) known_poll_no_progress×4 level 1 ends #1',
      '#3 block read(a) known_poll_no_progress×5 ends #2',
    ]);
  });

  it('is silent while outcomes change', () => {
    const world = givenPolicy();
    for (let turn = 0; turn < 9; turn += 1) expect(world.turn(`x${turn}`, { poll: true })).toEqual([]);
  });
});

describe('circuit breaker', () => {
  it('blocks where every other detector is switched off', () => {
    const off = { genericRepeat: false, knownPollNoProgress: false, pingPong: false };
    const world = givenPolicy(withBlock({ detectors: off }));
    const lines = Array.from({ length: 7 }, () => world.turn('x')).flat();
    expect(lines).toEqual(['#1 block read(a) global_circuit_breaker×7']);
  });
});

describe('ping-pong', () => {
  it('warns the side whose turn is next, and names the other', () => {
    const world = givenPolicy();
    world.turn('x', { args: digestOf('a') });
    expect(world.call({ args: digestOf('b') })).toEqual(['#1 warn read(a) ping_pong×3 level 1 with read']);
  });

  it('blocks only while neither side changes', () => {
    const same = givenPolicy(withBlock({ detectors: { genericRepeat: false } }));
    const changing = givenPolicy(withBlock({ detectors: { genericRepeat: false } }));
    const sides = ['a', 'b', 'a', 'b'].map(digestOf);
    const blocks = (lines: string[]): string[] => lines.filter((line) => line.includes('block'));
    expect(blocks(sides.flatMap((args) => same.turn('x', { args })))).toEqual([
      '#6 block read(a) ping_pong×5 with read ends #5',
    ]);
    expect(blocks(sides.flatMap((args, turn) => changing.turn(`x${turn}`, { args })))).toEqual([]);
  });
});

describe('unknown tool', () => {
  const given = (): World => givenPolicy(withBlock({ detectors: { pingPong: false } }));

  it('blocks the tool whatever the arguments', () => {
    const world = given();
    const lines = ['a', 'b', 'c']
      .map(digestOf)
      .flatMap((args) => [
        ...world.call({ tool: 'serach', args }),
        ...world.result('e', { ...missing, args }),
      ]);
    expect(lines).toEqual(['#1 block serach unknown_tool_repeat×3']);
  });

  it('is released by any other call', () => {
    const world = given();
    for (const args of ['a', 'b', 'c'].map(digestOf)) world.result('e', { ...missing, args });
    expect(world.call()).toEqual(['#2 release serach ends #1 cleared']);
  });

  it('hides what is said of the signatures of the tool', () => {
    const world = given();
    const lines = Array.from({ length: 5 }, () => world.result('e', missing)).flat();
    expect(lines.filter((line) => line.includes('generic_repeat'))).toEqual([]);
  });
});

describe('severity', () => {
  it('prefers a block over an earlier warning', () => {
    const world = givenPolicy();
    const turns = ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'].map(digestOf);
    turns.forEach((args, turn) => {
      world.turn(args === digestOf('a') ? `x${turn}` : 'same', { args });
    });
    const standing = world.verdicts.filter(
      ({ action, match }) => action === 'block' && match.args === digestOf('b'),
    );
    expect(standing.at(-1)).toMatchObject({ detector: 'generic_repeat', count: 5 });
  });
});

describe('switches', () => {
  it('are off while `enabled` is not true', () => {
    for (const enabled of [undefined, false]) {
      const world = givenPolicy({ tools: { loopDetection: enabled === undefined ? {} : { enabled } } });
      for (let turn = 0; turn < 40; turn += 1) expect(world.turn('x')).toEqual([]);
    }
  });

  it('make shadows with `observe`', () => {
    const world = givenPolicy(withBlock({ observe: true }));
    const lines = Array.from({ length: 3 }, () => world.turn('x')).flat();
    expect(lines).toEqual(['#1 shadow warn read(a) generic_repeat×3 level 1']);
  });
});

describe('level of a warning', () => {
  it('is 1 at the threshold and grows by one for each ten', () => {
    expect([3, 12, 13, 23].map((count) => levelOf(count, 3))).toEqual([1, 1, 2, 3]);
  });
});
