import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './assignment-protocol.ts';

const topics = fc.string({ minLength: 1, maxLength: 40 });

describe('the bytes of the consumer protocol', () => {
  it('are those of version 0 that Kafka documents', () => {
    const subscription = encodeSubscription({ topics: ['ab'], userData: Buffer.from([9]) });
    expect([...subscription]).toEqual([0, 0, 0, 0, 0, 1, 0, 2, 97, 98, 0, 0, 0, 1, 9]);
    const assignment = encodeAssignment('ab', [3, 256]);
    expect([...assignment]).toEqual([
      0, 0, 0, 0, 0, 1, 0, 2, 97, 98, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 1, 0, 0, 0, 0, 0,
    ]);
  });

  it('come back as they were', () => {
    const lists = { names: fc.array(topics), partitions: fc.array(fc.nat()) };
    fc.assert(
      fc.property(fc.record({ ...lists, data: fc.uint8Array(), topic: topics }), (given) => {
        const subscription = { topics: given.names, userData: Buffer.from(given.data) };
        expect(decodeSubscription(encodeSubscription(subscription))).toEqual(subscription);
        expect(decodeAssignment(encodeAssignment(given.topic, given.partitions), given.topic)).toEqual(
          given.partitions,
        );
      }),
    );
  });

  it('may be none at all, or of another topic: nothing is assigned', () => {
    expect(decodeAssignment(Buffer.alloc(0), 'a')).toEqual([]);
    expect(decodeAssignment(encodeAssignment('b', [1]), 'a')).toEqual([]);
  });

  it('may lack the user data of a member that sends none', () => {
    const bytes = Buffer.from([0, 0, 0, 0, 0, 0, 255, 255, 255, 255]);
    expect(decodeSubscription(bytes)).toEqual({ topics: [], userData: Buffer.alloc(0) });
  });
});
