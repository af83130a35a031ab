import { describe, expect, it } from 'vitest';
import { DEFAULT_PREFIX, subjectOf, topicOf, topics, topicsOf } from './index.ts';
import { published } from './published.ts';

const DAY = 24 * 60 * 60 * 1000;

it('every record stands in exactly one topic', () => {
  const written = topics.flatMap(({ records }) => records).sort();
  expect(written).toEqual([...new Set(published.map(({ record }) => record))].sort());
});

it('names the subject of a record after topic and record', () => {
  expect(subjectOf('loopwarden.control.Verdict', DEFAULT_PREFIX)).toBe(
    'loopwarden.control-loopwarden.control.Verdict',
  );
});

it('holds verdicts to more than events: gateways are renewed last', () => {
  expect(topicOf('loopwarden.control.Verdict').compatibility).toBe('FULL_TRANSITIVE');
  expect(topicOf('loopwarden.events.ToolCall').compatibility).toBe('BACKWARD_TRANSITIVE');
});

describe('the topics of an installation', () => {
  const installed = topicsOf({ prefix: 'acme.', partitions: 48 });

  it('share the number of partitions where a partition is folded', () => {
    expect(installed.map(({ name, partitions }) => [name, partitions])).toEqual([
      ['acme.events', 48],
      ['acme.control', 48],
      ['acme.state', 48],
      ['acme.policies', 1],
      ['acme.dead-letters', 1],
    ]);
  });

  it('keep records for as long as the contract says', () => {
    expect(installed.map(({ cleanup, retentionMs }) => [cleanup, retentionMs])).toEqual([
      ['delete', 7 * DAY],
      ['delete', 7 * DAY],
      ['compact', null],
      ['keep', null],
      ['delete', 14 * DAY],
    ]);
  });

  it('take their time from the log where time is what is judged', () => {
    const stamped = installed.filter(({ timestamps }) => timestamps === 'append').map(({ name }) => name);
    expect(stamped).toEqual(['acme.events', 'acme.control', 'acme.policies']);
  });
});
