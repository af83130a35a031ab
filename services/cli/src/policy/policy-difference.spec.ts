import { describe, expect, it } from 'vitest';
import { terminalOutput } from '../terminal/output.ts';
import { differenceText } from './difference-lines.ts';
import { changesNothing, policyDifference } from './policy-difference.ts';

const plain = { ...terminalOutput, paint: (_style: string, text: string) => text };
const lines = (before: object, after: object) =>
  differenceText(policyDifference({ ...before }, { ...after }), plain);

const policy = (global: object, agents: Readonly<Record<string, object>> = {}) => ({
  tools: { loopDetection: global },
  agents: { list: Object.entries(agents).map(([id, loopDetection]) => ({ id, tools: { loopDetection } })) },
});

describe('what a policy changes', () => {
  it('is nothing where the same comes out, however it is written', () => {
    const difference = policyDifference({}, policy({ warningThreshold: 10 }, { coder: { historySize: 30 } }));
    expect(changesNothing(difference)).toBe(true);
    expect(lines({}, policy({ warningThreshold: 10 }))).toEqual(['Nothing changes for any agent.']);
  });

  it('is shown by value in force, with the agents that it befalls', () => {
    const before = policy(
      { enabled: true },
      { coder: { warningThreshold: 5 }, writer: { warningThreshold: 5 } },
    );
    const after = policy(
      { enabled: true, warningThreshold: 7 },
      { writer: { warningThreshold: 5, observe: true } },
    );
    expect(lines(before, after)).toEqual([
      'Agents that the policy does not name:',
      '  warningThreshold  10 → 7',
      'Agent coder:',
      '  warningThreshold  5 → 7',
      'Agent writer:',
      '  observe  false → true',
    ]);
  });

  it('puts agents with the same changes together', () => {
    const { groups } = policyDifference(
      {},
      policy({ enabled: true }, { b: { observe: true }, a: { observe: true } }),
    );
    expect(groups.map(({ agents }) => agents)).toEqual([[null], ['a', 'b']]);
  });

  it('names a threshold that is raised to keep the order', () => {
    const [group] = policyDifference({}, policy({ warningThreshold: 40 })).groups;
    expect(group?.changes).toContainEqual({ setting: 'criticalThreshold', from: 20, to: 41 });
  });

  it('says what changes for the whole fleet', () => {
    const after = {
      loopwarden: { idle: '2h', enforce: false, profiles: { version: '1', tools: { ci: { poll: true } } } },
    };
    expect(lines({}, after)).toEqual([
      'The whole fleet:',
      '  loopwarden.idle              24 h → 2 h',
      '  loopwarden.enforce           true → false',
      '  loopwarden.profiles.version  openclaw-2026.7 → openclaw-2026.7+1',
      expect.stringContaining('tool profiles change'),
    ]);
  });

  it('shows a change of profiles also under the same version', () => {
    const profiles = (poll: boolean) => ({
      loopwarden: { profiles: { version: '1', tools: { ci: poll ? { poll } : {} } } },
    });
    expect(changesNothing(policyDifference(profiles(false), profiles(true)))).toBe(false);
  });
});
