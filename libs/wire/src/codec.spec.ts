import type { LoopEvent } from '@loopwarden/detection';
import { type AvroRecord, current, embeddedIdOf, type RecordName } from '@loopwarden/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { avroForm, avroType } from '../../../test/wire/avro-form.ts';
import {
  deadLetter,
  event,
  mark,
  policyRevision,
  stateRecord,
  toolCall,
  verdict,
} from '../../../test/wire/values.ts';
import { createCodec, createEmbeddedCodec, type StateRecord, schemaIdOf } from './index.ts';

const codec = createEmbeddedCodec();

const EVENT_RECORDS: Readonly<Record<LoopEvent['type'], RecordName>> = {
  attach: 'loopwarden.events.Attach',
  tool_call: 'loopwarden.events.ToolCall',
  tool_result: 'loopwarden.events.ToolResult',
  compaction: 'loopwarden.events.Compaction',
  run_end: 'loopwarden.events.RunEnd',
  release: 'loopwarden.events.OperatorRelease',
  policy: 'loopwarden.events.PolicyApplied',
};
const stateRecordName = ({ type }: StateRecord): RecordName =>
  type === 'chunk' ? 'loopwarden.state.StateChunk' : 'loopwarden.state.StateManifest';

/** What another Avro library writes for the same value. */
function written(schema: AvroRecord, value: unknown): Buffer {
  const type = avroType(schema);
  return type.toBuffer(avroForm(type, value));
}

/** What stands behind the frame. */
const bodyOf = (bytes: Uint8Array) => bytes.subarray(5);

/** Framed under the id of the record, with the very body that another library writes. */
function expectAvro(bytes: Uint8Array, record: RecordName, value: unknown): void {
  expect(schemaIdOf(bytes)).toBe(embeddedIdOf[record]);
  expect(Buffer.from(bodyOf(bytes)).toString('hex')).toBe(
    written(current[record].schema, value).toString('hex'),
  );
}

describe('every value is written as Avro and comes back as it was', () => {
  it('events', () => {
    fc.assert(
      fc.property(event, (value) => {
        const bytes = codec.encodeEvent(value);
        expectAvro(bytes, EVENT_RECORDS[value.type], value);
        expect(codec.decodeEvent(bytes)).toEqual({ ok: true, value });
      }),
    );
  });

  it('verdicts', () => {
    fc.assert(
      fc.property(verdict, (value) => {
        const bytes = codec.encodeVerdict(value);
        expectAvro(bytes, 'loopwarden.control.Verdict', value);
        expect(codec.decodeControl(bytes)).toEqual({ ok: true, value: { type: 'verdict', verdict: value } });
      }),
    );
  });

  it('marks', () => {
    fc.assert(
      fc.property(mark, (value) => {
        const bytes = codec.encodeMark(value);
        expectAvro(bytes, 'loopwarden.control.ProgressMark', value);
        expect(codec.decodeControl(bytes)).toEqual({ ok: true, value: { type: 'mark', mark: value } });
      }),
    );
  });

  it('policy revisions', () => {
    fc.assert(
      fc.property(policyRevision, (value) => {
        const bytes = codec.encodePolicyRevision(value);
        expectAvro(bytes, 'loopwarden.policies.PolicyRevision', value);
        expect(codec.decodePolicyRevision(bytes)).toEqual({ ok: true, value });
      }),
    );
  });

  it('dead letters', () => {
    fc.assert(
      fc.property(deadLetter, (value) => {
        const bytes = codec.encodeDeadLetter(value);
        expectAvro(bytes, 'loopwarden.deadletters.DeadLetter', value);
        expect(codec.decodeDeadLetter(bytes)).toEqual({ ok: true, value });
      }),
    );
  });

  it('state records', () => {
    fc.assert(
      fc.property(stateRecord, (value) => {
        const bytes = codec.encodeState(value);
        expectAvro(bytes, stateRecordName(value), value);
        expect(codec.decodeState(bytes)).toEqual({ ok: true, value });
      }),
    );
  });
});

describe('encoding', () => {
  const [call] = fc.sample(toolCall, { seed: 1, numRuns: 1 }) as [LoopEvent & { type: 'tool_call' }];

  it('writes ids of a registry, and the same body whatever the id', () => {
    const ids = { ...embeddedIdOf, 'loopwarden.events.ToolCall': 4_000_000_000 };
    const bytes = createCodec({ ids }).encodeEvent(call);
    expect(schemaIdOf(bytes)).toBe(4_000_000_000);
    expect(bodyOf(bytes)).toEqual(bodyOf(codec.encodeEvent(call)));
  });

  it('hands out bytes that later values do not change', () => {
    const first = codec.encodeEvent(call);
    const copy = Uint8Array.from(first);
    codec.encodeEvent({ ...call, runId: 'another', payload: 'x'.repeat(100_000) });
    expect(Uint8Array.from(first)).toEqual(copy);
  });

  it('takes values far larger than its buffer was', () => {
    const large = { ...call, payload: 'ä€😀'.repeat(50_000) };
    expect(createEmbeddedCodec().decodeEvent(createEmbeddedCodec().encodeEvent(large))).toEqual({
      ok: true,
      value: large,
    });
  });

  it.each([
    ['a digest of 31 characters', { args: 'a'.repeat(31) }],
    ['a digest that is no hex', { args: 'g'.repeat(32) }],
    ['a digest in upper case, which would come back changed', { args: 'A'.repeat(32) }],
    ['a sequence that is no integer', { sequence: 1.5 }],
    ['a sequence beyond 53 bits', { sequence: 2 ** 53 }],
    ['a level beyond 32 bits', { delivered: [{ epoch: 1, warning: 1, level: 2 ** 31 }] }],
    ['more than 1 MiB', { payload: 'x'.repeat(1024 * 1024) }],
  ])('throws for %s, and goes on afterwards', (_, fields) => {
    expect(() => codec.encodeEvent({ ...call, ...fields })).toThrow(RangeError);
    expect(codec.decodeEvent(codec.encodeEvent(call))).toEqual({ ok: true, value: call });
  });

  it('cuts the value of a dead letter to 512 KiB, so that every letter can be written', () => {
    const value = new Uint8Array(2 * 1024 * 1024).fill(7);
    const letter = { topic: 't', partition: 0, offset: 1, timestamp: 2, code: 'c', detail: 'd' };
    const decoded = codec.decodeDeadLetter(codec.encodeDeadLetter({ ...letter, key: value, value }));
    expect(decoded).toMatchObject({ ok: true, value: letter });
    expect(decoded.ok && [decoded.value.key?.length, decoded.value.value?.length]).toEqual([1024, 524_288]);
  });
});

it('reads a blank call id as none', () => {
  fc.assert(
    fc.property(toolCall, fc.constantFrom('', ' ', '\t\n'), (value, callId) => {
      const decoded = codec.decodeEvent(codec.encodeEvent({ ...value, callId }));
      expect(decoded).toEqual({ ok: true, value: { ...value, callId: null } });
    }),
    { numRuns: 10 },
  );
});
