import { describe, expect, it } from 'vitest';
import { LogError } from '../log.ts';
import { failedPartition, failureType, isTimeout, isUnreadable, toLogError } from './failure.ts';

/** An error as the client throws it: the protocol's name, inside the wrapper of its retries. */
function clientError(type: string, extra: object = {}): Error {
  const inner = Object.assign(new Error(`about ${type}.`), { name: 'KafkaJSProtocolError', type, ...extra });
  return Object.assign(new Error('retries exceeded', { cause: inner }), {
    name: 'KafkaJSNumberOfRetriesExceeded',
  });
}

describe('failures of the client', () => {
  it.each([
    ['UNKNOWN_MEMBER_ID', 'fenced'],
    ['ILLEGAL_GENERATION', 'fenced'],
    ['MESSAGE_TOO_LARGE', 'refused'],
    ['TOPIC_AUTHORIZATION_FAILED', 'refused'],
    ['OFFSET_OUT_OF_RANGE', 'refused'],
    ['CORRUPT_MESSAGE', 'corrupt'],
    ['NOT_ENOUGH_REPLICAS', 'unavailable'],
    ['SOMETHING_NEW', 'unavailable'],
  ])('%s is %s', (type, code) => {
    const failure = toLogError(clientError(type), 'It was not done');
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(`It was not done: about ${type}.`);
    expect(failureType(clientError(type))).toBe(type);
  });

  it('say what to do where that helps', () => {
    expect(toLogError(new Error('connect ECONNREFUSED'), 'It was not done').message).toBe(
      'It was not done: connect ECONNREFUSED. Check that the brokers run and can be reached.',
    );
  });

  it('are passed on when they are known already', () => {
    const known = new LogError('closed', 'closed');
    expect(toLogError(known, 'It was not done')).toBe(known);
  });

  it('name the partition where the answer did', () => {
    const error = clientError('OFFSET_OUT_OF_RANGE', { topic: 'events', partition: 3 });
    expect(failedPartition(error)).toEqual({ topic: 'events', partition: 3 });
    expect(failedPartition(clientError('UNKNOWN'))).toBeNull();
  });

  it('tell wrong credentials, late answers and unreadable ones apart', () => {
    const named = (name: string) => Object.assign(new Error('no'), { name });
    expect(toLogError(named('KafkaJSSASLAuthenticationError'), 'No').code).toBe('refused');
    expect(isTimeout(named('KafkaJSRequestTimeoutError'))).toBe(true);
    expect(isTimeout(named('KafkaJSConnectionError'))).toBe(false);
    expect(isUnreadable(named('RangeError'))).toBe(true);
    expect(isUnreadable(clientError('CORRUPT_MESSAGE'))).toBe(true);
    expect(isUnreadable(clientError('NOT_LEADER_FOR_PARTITION'))).toBe(false);
  });
});
