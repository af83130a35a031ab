import { readFileSync } from 'node:fs';
import { metricsText } from '@loopwarden/gateway';
import {
  createDetectorMetrics,
  createMetricsRegistry,
  detectorSettings,
  logSettings,
  processSettings,
  type SettingsTable,
  settingNames,
} from '@loopwarden/runtime';
import { afterAll, describe, expect, it } from 'vitest';
import { Rig } from './gateway/rig.ts';

const read = (file: string) => readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
const mentioned = (file: string, name: RegExp) => [...new Set(read(file).match(name))];

/** Families of metrics by name, with the names that a query can ask for. */
function familiesIn(text: string): ReadonlyMap<string, readonly string[]> {
  const suffixes: Readonly<Record<string, readonly string[]>> = {
    histogram: ['_bucket', '_sum', '_count'],
    summary: ['_sum', '_count'],
  };
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Map(
    types.map(([, name = '', type = '']) => [name, (suffixes[type] ?? ['']).map((suffix) => name + suffix)]),
  );
}

const registry = createMetricsRegistry({ runtime: true });
createDetectorMetrics(registry);
const rig = new Rig();
const { gateway } = await rig.connect();
const gatewayText = metricsText([gateway.stats()]);
const families = familiesIn((await registry.text()) + gatewayText);
const queries = new Set([...families.values()].flat());

afterAll(() => rig.close());

describe.each(['alerts.yaml', 'dashboard.json'])('%s', (file) => {
  it('asks only for metrics that a detector or a gateway has', () => {
    const names = mentioned(file, /\b(loopwarden|nodejs|process)_\w+/g);
    expect(names.filter((name) => name.startsWith('loopwarden_gateway_')).length).toBeGreaterThan(5);
    expect(names.filter((name) => !queries.has(name))).toEqual([]);
  });

  it('tells gateways apart only by a why that they give', () => {
    const asked = [...read(file).matchAll(/(\w+)\{why(?:=|!=|=~|!~)\\?"([\w|]+)/g)].flatMap(
      ([, metric = '', whys = '']) => whys.split('|').map((why) => `${metric} ${why}`),
    );
    const given = [...gatewayText.matchAll(/^(\w+)\{.*why="(\w+)"/gm)].map(
      ([, metric, why]) => `${metric} ${why}`,
    );
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((one) => !given.includes(one))).toEqual([]);
  });
});

it('every metric of ours is looked at by somebody', () => {
  const names = ['alerts.yaml', 'dashboard.json'].flatMap((file) => mentioned(file, /\bloopwarden_\w+/g));
  const ours = [...families].filter(([name]) => name.startsWith('loopwarden_'));
  const unseen = ours.filter(([, asked]) => !asked.some((name) => names.includes(name)));
  expect(unseen.map(([name]) => name)).toEqual([]);
});

it('every alert has a severity and says what to do, and refers to no alert or panel that is not there', () => {
  const [, ...alerts] = read('alerts.yaml').split('- alert: ');
  const names = alerts.map((alert) => /^\w+/.exec(alert)?.[0]);
  expect(new Set(names).size).toBe(alerts.length);
  for (const alert of alerts) {
    expect(alert).toMatch(/severity: (?:page|ticket) \}[\s\S]*summary: ["'].+\.["']\n\s+action: ".+\."\n/);
  }
  expect(names).toEqual(expect.arrayContaining(mentioned('alerts.yaml', /\bLoopwarden[A-Z]\w+/g)));
  expect(read('dashboard.json')).toContain('"title": "Gateways in trouble"');
});

describe.each(['Dockerfile', 'compose.yaml', 'README.md'])('%s', (file) => {
  it('sets only variables that are read', () => {
    const table: SettingsTable = { ...logSettings, ...processSettings, ...detectorSettings };
    const known = Object.entries(table).map(([key, setting]) => settingNames(key, setting).environment);
    const names = mentioned(file, /\bLOOPWARDEN_\w+/g);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});
