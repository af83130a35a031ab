import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainPolicy } from './explain.ts';
import { compilePolicy, DEFAULT_POLICY, parsePolicy, readAppliedPolicy } from './policy.ts';
import { MAX_POLICY_LENGTH } from './policy-document.ts';

const block = (loopDetection: unknown) => ({ tools: { loopDetection } });
const withAgent = (global: unknown, agent: unknown, id = 'agent-1') => ({
  tools: { loopDetection: global },
  agents: { list: [{ id, tools: { loopDetection: agent } }] },
});
const thresholds = (document: unknown, agentId: string | null = null) => {
  const settings = compilePolicy(document).settingsFor(agentId);
  return [settings.warningThreshold, settings.criticalThreshold, settings.globalCircuitBreakerThreshold];
};

describe('compilePolicy', () => {
  it('begins with detectors neither on nor off', () => {
    expect(DEFAULT_POLICY.settingsFor('any')).toEqual({
      enabled: undefined,
      observe: false,
      historySize: 30,
      warningThreshold: 10,
      unknownToolThreshold: 10,
      criticalThreshold: 20,
      globalCircuitBreakerThreshold: 30,
      genericRepeat: true,
      knownPollNoProgress: true,
      pingPong: true,
      windowSize: 3,
    });
    expect(DEFAULT_POLICY).toMatchObject({
      idleMs: 86_400_000,
      enforce: true,
      profilesVersion: 'openclaw-2026.7',
    });
  });

  it.each([
    [{}, [10, 20, 30]],
    [{ criticalThreshold: 5 }, [10, 11, 30]],
    [{ warningThreshold: 22 }, [22, 23, 30]],
    [{ warningThreshold: 40 }, [40, 41, 42]],
    [{ globalCircuitBreakerThreshold: 8 }, [10, 20, 21]],
    [{ warningThreshold: 9, criticalThreshold: 3, globalCircuitBreakerThreshold: 1 }, [9, 10, 11]],
  ])('raises the thresholds of %j to %j', (loopDetection, expected) => {
    expect(thresholds(block(loopDetection))).toEqual(expected);
  });

  it('raises what the overlay made of two good blocks', () => {
    expect(thresholds(withAgent({ criticalThreshold: 12 }, { warningThreshold: 15 }), 'agent-1')).toEqual([
      15, 16, 30,
    ]);
  });

  it('overlays field by field, one level down as well', () => {
    const global = {
      enabled: true,
      observe: true,
      historySize: 40,
      detectors: { pingPong: false },
      postCompactionGuard: { windowSize: 5 },
    };
    const policy = compilePolicy(
      withAgent(global, { enabled: false, detectors: { genericRepeat: false }, postCompactionGuard: {} }),
    );
    expect(policy.settingsFor('agent-1')).toMatchObject({
      enabled: false,
      observe: true,
      historySize: 40,
      genericRepeat: false,
      pingPong: false,
      knownPollNoProgress: true,
      windowSize: 5,
    });
    expect(policy.settingsFor('other')).toMatchObject({ enabled: true, genericRepeat: true });
    expect(policy.settingsFor(null)).toEqual(policy.settingsFor('other'));
  });

  it('lets an empty agent block change nothing, and an agent block stand alone', () => {
    expect(compilePolicy(withAgent({ historySize: 7 }, {})).settingsFor('agent-1').historySize).toBe(7);
    expect(compilePolicy(withAgent(undefined, { historySize: 8 })).settingsFor('agent-1').historySize).toBe(
      8,
    );
  });

  it('finds the agent whatever the case and the blanks around its id; the first entry wins', () => {
    const policy = compilePolicy({
      agents: {
        list: [
          { id: ' Main ', tools: { loopDetection: { historySize: 5 } } },
          { id: 'main', tools: { loopDetection: { historySize: 6 } } },
          { id: 'bare' },
          { id: 'bare', tools: { loopDetection: { historySize: 6 } } },
        ],
      },
    });
    expect(policy.settingsFor('MAIN').historySize).toBe(5);
    expect(policy.settingsFor('bare').historySize).toBe(30);
  });

  it('reads wrong values as missing and survives any document', () => {
    expect(
      compilePolicy(block({ enabled: 'true', historySize: 0, warningThreshold: '5' })).settingsFor(null),
    ).toEqual(DEFAULT_POLICY.settingsFor(null));
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (any, agents, loopwarden) => {
        for (const document of [any, { ...block(any), agents, loopwarden }, withAgent(any, agents)]) {
          const settings = compilePolicy(document).settingsFor('agent-1');
          expect(settings.warningThreshold).toBeLessThan(settings.criticalThreshold);
          expect(settings.criticalThreshold).toBeLessThan(settings.globalCircuitBreakerThreshold);
        }
      }),
    );
  });

  it('reads the loopwarden object', () => {
    const policy = compilePolicy({
      loopwarden: { idle: '2h', enforce: false, profiles: { version: '3', aliases: { sh: 'exec' } } },
    });
    expect(policy).toMatchObject({ idleMs: 7_200_000, enforce: false, profilesVersion: 'openclaw-2026.7+3' });
    expect(policy.profiles.aliases.get('sh')).toBe('exec');
    expect(compilePolicy({ loopwarden: { idle: '5s', enforce: 'no' } })).toMatchObject({
      idleMs: 86_400_000,
      enforce: true,
    });
  });
});

describe('parsePolicy', () => {
  it('gives policy, document and hints', () => {
    const parsed = parsePolicy('{"tools":{"loopDetection":{"criticalThreshold":15}}}');
    if (!parsed.ok) throw new Error('refused');
    expect(parsed.policy.settingsFor(null).criticalThreshold).toBe(15);
    expect(parsed.document.tools?.loopDetection?.criticalThreshold).toBe(15);
    expect(parsed.hints.map(({ path }) => path)).toEqual(['tools.loopDetection.enabled']);
  });

  it.each(['', '{', '{"tools": {},}', '// comment\n{}'])('says of %j that it is not JSON', (text) => {
    const parsed = parsePolicy(text);
    expect(parsed).toMatchObject({ ok: false, issues: [{ path: '', kind: 'value' }] });
    expect(JSON.stringify(parsed)).toContain('not JSON');
  });

  it('refuses a policy that is wrong or too long', () => {
    expect(parsePolicy('{"tools":{"loopDetection":{"historySize":0}}}')).toMatchObject({
      ok: false,
      issues: [{ path: 'tools.loopDetection.historySize', kind: 'value' }],
    });
    expect(parsePolicy(`{"a":"${'x'.repeat(MAX_POLICY_LENGTH)}"}`).ok).toBe(false);
  });
});

describe('readAppliedPolicy', () => {
  it('reads a policy that would be refused today as the reference does at run time', () => {
    const text = '{"tools":{"loopDetection":{"warningThreshold":6,"criticalThreshold":5,"extra":1}}}';
    expect(parsePolicy(text).ok).toBe(false);
    expect(readAppliedPolicy(text)?.settingsFor(null)).toMatchObject({
      warningThreshold: 6,
      criticalThreshold: 7,
    });
  });

  it.each(['', '{', '[]', 'null', '"text"'])('is null for %j', (text) => {
    expect(readAppliedPolicy(text)).toBeNull();
  });
});

describe('explainPolicy', () => {
  const explained = (document: unknown, agentId: string | null, setting: string) =>
    explainPolicy(document, agentId).find((entry) => entry.setting === setting);

  it('names the source of every setting', () => {
    const document = withAgent(
      { enabled: true, criticalThreshold: 12, detectors: { pingPong: false } },
      { warningThreshold: 15, postCompactionGuard: { windowSize: 4 } },
    );
    const row = (setting: string) => explained(document, 'Agent-1', setting);
    expect(row('enabled')).toEqual({ setting: 'enabled', value: true, source: 'global' });
    expect(row('warningThreshold')).toMatchObject({ value: 15, source: 'agent' });
    expect(row('criticalThreshold')).toEqual({
      setting: 'criticalThreshold',
      value: 16,
      source: 'clamped',
      note: 'raised from 12, above warningThreshold (15)',
    });
    expect(row('globalCircuitBreakerThreshold')).toMatchObject({ value: 30, source: 'default' });
    expect(row('detectors.pingPong')).toMatchObject({ value: false, source: 'global' });
    expect(row('postCompactionGuard.windowSize')).toMatchObject({ value: 4, source: 'agent' });
    expect(explained(document, null, 'warningThreshold')).toMatchObject({ value: 10, source: 'default' });
  });

  it('says what an unset enabled means, and where a wrong value was passed over', () => {
    expect(explained({}, null, 'enabled')).toMatchObject({
      value: null,
      source: 'default',
      note: expect.any(String),
    });
    expect(explained(block({ historySize: '9' }), null, 'historySize')).toMatchObject({
      value: 30,
      source: 'default',
      note: expect.stringContaining('"9"'),
    });
    expect(explained(block({ warningThreshold: 40 }), null, 'criticalThreshold')).toMatchObject({
      value: 41,
      source: 'clamped',
    });
  });

  it('covers the loopwarden object', () => {
    expect(explained({ loopwarden: { idle: '2h' } }, null, 'loopwarden.idle')).toMatchObject({
      value: 7_200_000,
      source: 'global',
    });
    expect(explained({}, null, 'loopwarden.enforce')).toMatchObject({ value: true, source: 'default' });
  });
});
