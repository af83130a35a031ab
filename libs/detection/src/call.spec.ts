import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { describeCall } from './call.ts';
import { compileProfiles, SHIPPED_PROFILES } from './profiles.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const describeShipped = (tool: string, args?: unknown) =>
  describeCall({ tool, args }, SHIPPED_PROFILES, sha256);

describe('describeCall', () => {
  it.each([
    [{ path: '/a.txt', limit: 1 }, '68edf40927c4a464'],
    [undefined, 'eb045d78d2731073'],
    [null, '74234e98afe7498f'],
    [{}, '44136fa355b3678a'],
    [{ '😀': 1, '｡': 2, a: 3 }, '37025bbfb0a3a711'],
    [{ command: 'ls' }, '4cf29611a6693486'],
    [{ action: 'poll', sessionId: 's' }, '608e94451244eab9'],
    [{ action: 'log', sessionId: 's' }, 'b652fa4848d79ffc'],
    [{ action: 'send', to: 'u' }, '445bf01c88730c60'],
  ])('digests %j as the reference does', (args, start) => {
    expect(describeShipped('read', args).args).toMatch(new RegExp(`^${start}[0-9a-f]{16}$`));
  });

  it.each([
    ['read', 'read'],
    ['  READ\n', 'read'],
    ['bash', 'exec'],
    ['BASH ', 'exec'],
    ['Apply-Patch', 'apply_patch'],
    ['', 'tool'],
    ['  ', 'tool'],
  ])('calls the tool %j %s', (raw, name) => {
    expect(describeShipped(raw).tool).toBe(name);
  });

  it.each([
    ['command_status', { id: 1 }, true],
    ['command_status', undefined, true],
    ['command_status', 'text', true],
    ['process', { action: 'poll' }, true],
    ['process', { action: 'log' }, true],
    ['process', { action: 'write' }, false],
    ['process', { action: 'Poll' }, false],
    ['process', {}, false],
    ['process', ['poll'], false],
    ['process', null, false],
    ['process', undefined, false],
    ['Process ', { action: 'poll' }, true],
    ['read', { action: 'poll' }, false],
  ])('%s with %j polls: %s', (tool, args, poll) => {
    expect(describeShipped(tool, args).poll).toBe(poll);
  });

  it('treats arguments that throw as naming no action', () => {
    const args = {
      get action(): never {
        throw new Error('no');
      },
    };
    expect(describeShipped('process', args)).toMatchObject({ tool: 'process', poll: false });
  });

  it("knows the user's own polls and aliases", () => {
    const profiles = compileProfiles({
      version: '7',
      aliases: { run_shell: 'exec', job: 'job_status' },
      tools: {
        job_status: { poll: true },
        deploy: { poll: { field: 'mode', values: ['wait', 'status'] } },
      },
    });
    const own = (tool: string, args?: unknown) => describeCall({ tool, args }, profiles, sha256);
    expect(own('Run_Shell').tool).toBe('exec');
    expect(own('job')).toMatchObject({ tool: 'job_status', poll: true });
    expect(own('deploy', { mode: 'wait' }).poll).toBe(true);
    expect(own('deploy', { mode: 'start' }).poll).toBe(false);
    expect(own('bash').tool).toBe('exec');
    expect(profiles.version).toBe('openclaw-2026.7+7');
  });
});
