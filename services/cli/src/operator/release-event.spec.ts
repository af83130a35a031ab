import { compilePolicy, describeCall, SHIPPED_PROFILES } from '@loopwarden/detection';
import { describe, expect, it } from 'vitest';
import { hashWith, type ReleaseWish, releaseEvent } from './release-event.ts';

const digesting = { profiles: SHIPPED_PROFILES, hash: hashWith(null) };
const wish = { run: 'r', actor: 'ada', reason: 'mended' };
const matchOf = (more: Partial<ReleaseWish>, how = digesting) => {
  const made = releaseEvent({ ...wish, ...more }, how, 1);
  return made.ok ? made.value.match : made.error.code;
};

describe('a release', () => {
  it('without a tool is of everything', () => {
    expect(matchOf({})).toBeNull();
  });

  it('names the tool as gateways do: aliases and case are resolved', () => {
    expect(matchOf({ tool: ' Bash' })).toEqual({ scope: 'tool', tool: 'exec', args: null });
  });

  it('of a call has the digest that the gateway made, whatever the order of keys', () => {
    const call = describeCall(
      { tool: 'read', args: { path: 'a', from: 1 } },
      SHIPPED_PROFILES,
      digesting.hash,
    );
    expect(matchOf({ tool: 'read', args: '{"from": 1, "path": "a"}' })).toEqual({
      scope: 'signature',
      tool: 'read',
      args: call.args,
    });
  });

  it('uses the key of the fleet and the profiles of the policy', () => {
    const keyed = { ...digesting, hash: hashWith('secret') };
    expect(matchOf({ tool: 'read', args: '1' }, keyed)).not.toEqual(matchOf({ tool: 'read', args: '1' }));
    const { profiles } = compilePolicy({
      loopwarden: { profiles: { version: '1', aliases: { cat: 'read' } } },
    });
    expect(matchOf({ tool: 'cat' }, { ...digesting, profiles })).toMatchObject({ tool: 'read' });
  });

  it('has a source of its own, so that none is taken for the repetition of another', () => {
    const sources = [1, 2].map(() => {
      const made = releaseEvent(wish, digesting);
      return made.ok ? made.value.source : '';
    });
    expect(sources[0]).toMatch(/^operator-[0-9a-f]{12}$/);
    expect(new Set(sources).size).toBe(2);
  });

  it.each([
    [{ args: '{}' }, 'tool_missing'],
    [{ tool: 'read', args: '{a' }, 'bad_args'],
    [{ epoch: 'x' }, 'bad_epoch'],
    [{ run: ' ' }, 'blank_run_id'],
    [{ run: 'r'.repeat(257) }, 'long_run_id'],
  ])('%j is refused as %s', (more, code) => {
    expect(matchOf(more)).toBe(code);
  });
});
