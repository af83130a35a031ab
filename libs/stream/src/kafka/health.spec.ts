import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Health } from './health.ts';

const STALL_MS = 1_000;

describe('the health of a Kafka log', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
  const quiet = (): void => undefined;

  it('is good while trouble is short, and bad when it lasts', () => {
    const health = new Health(STALL_MS, quiet);
    const part = {};
    health.report(part, 'the brokers are away');
    pass(STALL_MS);
    expect(health.now().ok).toBe(true);
    health.report(part, 'the brokers are still away');
    pass(1);
    expect(health.now()).toEqual({ ok: false, detail: 'the brokers are still away' });
    health.clear(part);
    expect(health.now().ok).toBe(true);
  });

  it('is bad at once when nothing can mend itself', () => {
    const health = new Health(STALL_MS, quiet);
    health.report({}, 'the password is wrong', true);
    expect(health.now()).toEqual({ ok: false, detail: 'the password is wrong' });
  });

  it('says each trouble once when it begins and once when it ends', () => {
    const say = vi.fn();
    const health = new Health(STALL_MS, say);
    const part = {};
    health.clear(part);
    health.report(part, 'away');
    health.report(part, 'away');
    health.clear(part);
    expect(say.mock.calls.map(([level]) => level)).toEqual(['warn', 'info']);
  });

  it('is bad when a partition does not advance while it lags, however well the process is', () => {
    const health = new Health(STALL_MS, quiet);
    const owner = {};
    let end = 10;
    health.moved(owner, { name: 'Partition 3 of events', position: 10, end: () => end });
    pass(5 * STALL_MS);
    expect(health.now().ok).toBe(true);
    end = 12;
    expect(health.now().ok).toBe(false);
    health.moved(owner, { name: 'Partition 3 of events', position: 10, end: () => end });
    expect(health.now().ok).toBe(true);
    pass(STALL_MS + 1);
    const detail = 'Partition 3 of events has not advanced for 1 s and is 2 records behind.';
    expect(health.now()).toEqual({ ok: false, detail });
    health.forget(owner);
    expect(health.now().ok).toBe(true);
  });
});
