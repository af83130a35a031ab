import { describe, expect, it } from 'vitest';
import { checkPolicy } from './policy-check.ts';
import { MAX_AGENTS } from './policy-document.ts';

const issuesOf = (document: unknown) =>
  checkPolicy(document).issues.map(({ path, kind, keys }) => ({ path, kind, keys }));
const block = (loopDetection: unknown) => ({ tools: { loopDetection } });
const hintPaths = (document: unknown) => checkPolicy(document).hints.map(({ path }) => path);

describe('checkPolicy: issues', () => {
  it('reports everything at once, each with a sentence', () => {
    const { issues } = checkPolicy({
      tools: { loopDetection: { enabled: 1, extra: 1, detectors: { pingPong: 'no', pong: true } } },
      agents: { list: [{ id: 'a', tools: { loopDetection: { historySize: -1 } } }] },
      loopwarden: { idle: 'soon', enforce: 'no', what: 1 },
    });
    expect(issues.map(({ path }) => path)).toEqual([
      'tools.loopDetection',
      'tools.loopDetection.enabled',
      'tools.loopDetection.detectors',
      'tools.loopDetection.detectors.pingPong',
      'agents.list.0.tools.loopDetection.historySize',
      'loopwarden',
      'loopwarden.idle',
      'loopwarden.enforce',
    ]);
    for (const { message } of issues) expect(message).toMatch(/^\S.*\.$/);
  });

  it.each([null, [], 'text', 5, undefined])('refuses %j as a document', (document) => {
    expect(issuesOf(document)).toEqual([{ path: '', kind: 'value', keys: undefined }]);
  });

  it.each([
    [{ tools: null }, 'tools'],
    [{ tools: [] }, 'tools'],
    [block(null), 'tools.loopDetection'],
    [block({ detectors: null }), 'tools.loopDetection.detectors'],
    [block({ postCompactionGuard: 3 }), 'tools.loopDetection.postCompactionGuard'],
    [block({ observe: 'yes' }), 'tools.loopDetection.observe'],
    [{ agents: null }, 'agents'],
    [{ agents: { list: {} } }, 'agents.list'],
    [{ agents: { list: [5] } }, 'agents.list.0'],
    [{ agents: { list: [{ tools: { loopDetection: {} } }] } }, 'agents.list.0.id'],
    [{ agents: { list: new Array(MAX_AGENTS + 1).fill({ id: 'a' }) } }, 'agents.list'],
    [{ loopwarden: null }, 'loopwarden'],
  ])('%j is wrong at %s', (document, path) => {
    expect(issuesOf(document)).toEqual([{ path, kind: 'value', keys: undefined }]);
  });

  it('accepts observe in every block', () => {
    expect(
      issuesOf({
        tools: { loopDetection: { observe: true } },
        agents: { list: [{ id: 'a', tools: { loopDetection: { observe: false } } }] },
      }),
    ).toEqual([]);
  });

  it('ignores what else an OpenClaw configuration holds', () => {
    const config = {
      $schema: 'x',
      gateway: { port: 1 },
      tools: { profile: 'coding', exec: {}, loopDetection: { enabled: true } },
      agents: { defaults: { model: 'm' }, list: [{ id: 'main', default: true, tools: { allow: [] } }, {}] },
    };
    expect(checkPolicy(config)).toEqual({ issues: [], hints: [] });
  });

  it.each<[unknown, string, string[]]>([
    [{ enabled: true, historySize: 30 }, '', ['enabled', 'historySize']],
    [{ loopDetection: { enabled: true } }, '', ['loopDetection']],
    [{ tools: { criticalThreshold: 5 } }, 'tools', ['criticalThreshold']],
    [{ tools: { loop_detection: {} } }, 'tools', ['loop_detection']],
    [{ Loopwarden: {} }, '', ['Loopwarden']],
    [{ agents: { list: [{ id: 'a', loopDetection: {} }] } }, 'agents.list.0', ['loopDetection']],
  ])('names the misplaced keys of %j', (document, path, keys) => {
    expect(issuesOf(document)).toEqual([{ path, kind: 'unknown_key', keys }]);
    expect(checkPolicy(document).issues[0]?.message).toContain('loopDetection');
  });
});

describe('checkPolicy: loopwarden', () => {
  it.each(['24h', '2h', '30m', '90s', '1d', '6d', '90000ms', 90_000])('takes %j as idle', (idle) => {
    expect(issuesOf({ loopwarden: { idle } })).toEqual([]);
  });

  it.each(['', '24', 'h', '1.5h', '-1h', '24 h', '60s', 60_000, 0, -5, 1.5, null, '7d', '8d', 'PT1H', true])(
    'refuses %j as idle',
    (idle) => {
      expect(issuesOf({ loopwarden: { idle } })).toEqual([
        { path: 'loopwarden.idle', kind: 'value', keys: undefined },
      ]);
    },
  );

  it('holds idle below the retention of this log', () => {
    expect(checkPolicy({ loopwarden: { idle: '2h' } }, 3_600_000).issues).toHaveLength(1);
    expect(checkPolicy({ loopwarden: { idle: '59m' } }, 3_600_000).issues).toHaveLength(0);
  });

  const profiles = (table: object) => issuesOf({ loopwarden: { profiles: table } }).map(({ path }) => path);

  it('takes profiles of every shape that is documented', () => {
    expect(
      profiles({
        version: '2026-07.a',
        aliases: { sh: 'exec' },
        tools: {
          job: { poll: true, volatile: ['durationMs'], ignoreText: true },
          deploy: { poll: { field: 'action', values: ['wait'] }, send: true },
        },
      }),
    ).toEqual([]);
  });

  it.each<[object, string]>([
    [{}, 'loopwarden.profiles.version'],
    [{ version: '' }, 'loopwarden.profiles.version'],
    [{ version: 'a b' }, 'loopwarden.profiles.version'],
    [{ version: '1', extra: 1 }, 'loopwarden.profiles'],
    [{ version: '1', aliases: [] }, 'loopwarden.profiles.aliases'],
    [{ version: '1', aliases: { Sh: 'exec' } }, 'loopwarden.profiles.aliases.Sh'],
    [{ version: '1', aliases: { a: 'a' } }, 'loopwarden.profiles.aliases.a'],
    [{ version: '1', aliases: { a: 'b', b: 'c' } }, 'loopwarden.profiles.aliases.a'],
    [{ version: '1', aliases: { a: 5 } }, 'loopwarden.profiles.aliases.a'],
    [{ version: '1', tools: { ' x': {} } }, 'loopwarden.profiles.tools. x'],
    [{ version: '1', tools: { x: true } }, 'loopwarden.profiles.tools.x'],
    [{ version: '1', tools: { x: { polls: true } } }, 'loopwarden.profiles.tools.x'],
    [{ version: '1', tools: { x: { poll: false } } }, 'loopwarden.profiles.tools.x.poll'],
    [
      { version: '1', tools: { x: { poll: { field: '', values: ['a'] } } } },
      'loopwarden.profiles.tools.x.poll.field',
    ],
    [
      { version: '1', tools: { x: { send: { field: 'a', values: [] } } } },
      'loopwarden.profiles.tools.x.send.values',
    ],
    [{ version: '1', tools: { x: { volatile: 'ts' } } }, 'loopwarden.profiles.tools.x.volatile'],
    [{ version: '1', tools: { x: { ignoreText: 1 } } }, 'loopwarden.profiles.tools.x.ignoreText'],
  ])('refuses profiles %j', (table, path) => {
    expect(profiles(table)).toEqual([path]);
  });
});

describe('checkPolicy: hints', () => {
  const on = (rest: object) => block({ enabled: true, ...rest });

  it('has none for defaults, and none beside issues', () => {
    expect(hintPaths(block({ enabled: true }))).toEqual([]);
    expect(hintPaths({})).toEqual([]);
    expect(hintPaths(on({ historySize: 2, extra: 1 }))).toEqual([]);
  });

  it('says that detectors are off while enabled is not set', () => {
    expect(hintPaths(block({ historySize: 40 }))).toEqual(['tools.loopDetection.enabled']);
  });

  it('names levels that the window can never reach, ping-pong needing one record less', () => {
    const { hints } = checkPolicy(on({ historySize: 19 }));
    expect(hints.map(({ message }) => message)).toEqual([
      'criticalThreshold (20) is never reached, except by ping-pong: historySize is 19. Raise it to 20.',
      'globalCircuitBreakerThreshold (30) is never reached: historySize is 19. Raise it to 30.',
    ]);
    expect(checkPolicy(on({ historySize: 18 })).hints[0]?.message).not.toContain('ping-pong');
  });

  it('says the numbers in force where thresholds are raised', () => {
    const { hints } = checkPolicy(on({ criticalThreshold: 5 }));
    expect(hints).toEqual([
      {
        path: 'tools.loopDetection.criticalThreshold',
        message: 'criticalThreshold (5) is raised to 11; in force are warning 10, critical 11, breaker 30.',
      },
    ]);
  });

  it('looks at an agent as overlaid', () => {
    const document = {
      ...on({ criticalThreshold: 12 }),
      agents: { list: [{ id: 'a', tools: { loopDetection: { warningThreshold: 15 } } }] },
    };
    expect(hintPaths(document)).toEqual(['agents.list.0.tools.loopDetection.criticalThreshold']);
  });

  it('warns of a second entry of one agent, a large window, no slack and a profile behind an alias', () => {
    const agent = (id: string) => ({ id, tools: { loopDetection: { enabled: true } } });
    expect(hintPaths({ agents: { list: [agent('A'), agent(' a')] } })).toEqual(['agents.list.1']);
    expect(hintPaths(on({ historySize: 1001 }))).toEqual(['tools.loopDetection.historySize']);
    expect(hintPaths(on({ historySize: 40, globalCircuitBreakerThreshold: 40 }))).toEqual([
      'tools.loopDetection.historySize',
    ]);
    expect(hintPaths({ loopwarden: { profiles: { version: '1', tools: { bash: {} } } } })).toEqual([
      'loopwarden.profiles.tools.bash',
    ]);
  });
});
