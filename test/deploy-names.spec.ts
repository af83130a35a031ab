import { readFileSync } from 'node:fs';
import {
  createDetectorMetrics,
  createMetricsRegistry,
  detectorSettings,
  logSettings,
  processSettings,
  type SettingsTable,
  settingNames,
} from '@loopwarden/runtime';
import { describe, expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
const mentioned = (file: string, name: RegExp) => [...new Set(read(file).match(name))];

const registry = createMetricsRegistry({ runtime: true });
createDetectorMetrics(registry);
const metrics = registry.names();
const queries = new Set(metrics.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]));

describe.each(['alerts.yaml', 'dashboard.json'])('%s', (file) => {
  it('asks only for metrics that a detector has', () => {
    const names = mentioned(file, /\b(loopwarden|nodejs|process)_\w+/g);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !queries.has(name))).toEqual([]);
  });
});

it('every metric of ours is looked at by somebody', () => {
  const texts = read('alerts.yaml') + read('dashboard.json');
  const ours = metrics.filter((name) => name.startsWith('loopwarden_'));
  expect(ours.filter((name) => !texts.includes(name))).toEqual([]);
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
