import { afterEach, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import { metricsText } from './index.ts';

const rig = new Rig();

afterEach(() => rig.close());

const NAME = /^loopwarden_gateway_[a-z_]+/;
const LINE = /^([a-z_]+)(\{gateway="(?:[^"\\\n]|\\[\\"n])*"(?:,why="[a-z_]+")?\}) (-?\d+(?:\.\d+)?)$/;

it('renders what gateways counted as Prometheus reads it: one family once, a series for each gateway', async () => {
  const { gateway } = await rig.connect({ gatewayId: 'one' });
  const run = gateway.run({ runId: 'r' });
  for (let index = 1; index <= 7; index += 1) {
    const call = { callId: `c${index}`, tool: 'read', args: { path: '/a' } };
    const { action } = await run.beforeCall(call);
    if (action !== 'block') run.afterCall({ ...call, result: 'same' });
    await rig.round();
  }
  const other = await rig.connect({ gatewayId: 'a "second"\none\\' });
  const text = metricsText([gateway.stats(), other.gateway.stats()]);
  expect(text.endsWith('\n')).toBe(true);
  const lines = text.trimEnd().split('\n');
  const families = lines.flatMap((line) => /^# TYPE (\S+) (?:counter|gauge|summary)$/.exec(line)?.[1] ?? []);
  expect(new Set(families).size).toBe(families.length);
  for (const line of lines.filter((one) => !one.startsWith('#'))) {
    expect(line).toMatch(NAME);
    const [, name = ''] = LINE.exec(line) ?? [];
    expect(families, line).toContain(name.replace(/_(?:sum|count)$/, ''));
  }
  expect(lines).toContain('loopwarden_gateway_vetoes_total{gateway="one"} 2');
  expect(lines).toContain('loopwarden_gateway_warnings_total{gateway="one"} 1');
  expect(lines).toContain('loopwarden_gateway_despite_total{gateway="one",why="stale"} 0');
  expect(lines).toContain('loopwarden_gateway_live_runs{gateway="a \\"second\\"\\none\\\\"} 0');
});

it('tells every number of the stats but the maxima', async () => {
  const { gateway } = await rig.connect();
  const stats = gateway.stats();
  let next = 1_000;
  const numbered = (value: unknown): unknown => {
    if (typeof value === 'number') {
      next += 1_000;
      return next;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, numbered(inner)]));
  };
  const { verdictToEnforcement, lateness, ...marked } = numbered(stats) as typeof stats;
  const text = metricsText([{ ...marked, verdictToEnforcement, lateness }]);
  const values = text.split('\n').map((line) => line.split(' ').at(-1));
  const plain = Object.values(marked).flatMap((value) =>
    typeof value === 'object' ? Object.values(value) : value,
  );
  for (const value of plain.filter((one) => typeof one === 'number')) expect(values).toContain(String(value));
  for (const { count, sumMs } of [verdictToEnforcement, lateness]) {
    expect(values).toEqual(expect.arrayContaining([String(count), String(sumMs / 1_000)]));
  }
});
