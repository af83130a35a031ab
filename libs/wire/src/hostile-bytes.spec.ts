import { current, embeddedIdOf, published } from '@loopwarden/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadLetter, event, mark, policyRevision, stateRecord, verdict } from '../../../test/wire/values.ts';
import { createEmbeddedCodec } from './codec.ts';

const codec = createEmbeddedCodec();
const OTHER = 1000;
/** Schemas that differ from ours, so that bytes pass through the way of other versions. */
for (const { embeddedId, schema } of published) {
  const extra = { name: 'extra', type: { type: 'array', items: 'null' }, default: [] };
  codec.addSchema(OTHER + embeddedId, { ...schema, fields: [...schema.fields, extra] });
}
const NESTED = 2000;
codec.addSchema(NESTED, {
  type: 'record',
  name: 'loopwarden.events.Nested',
  fields: [
    ...current['loopwarden.events.Attach'].schema.fields,
    {
      name: 'tree',
      type: {
        type: 'record',
        name: 'Tree',
        fields: [{ name: 'below', type: { type: 'array', items: 'Tree' } }],
      },
    },
  ],
});

const decoders = [
  codec.decodeEvent,
  codec.decodeControl,
  codec.decodePolicyRevision,
  codec.decodeDeadLetter,
  codec.decodeState,
];

/** Any valid value of any type. */
const sound = fc.oneof(
  event.map(codec.encodeEvent),
  verdict.map(codec.encodeVerdict),
  mark.map(codec.encodeMark),
  policyRevision.map(codec.encodePolicyRevision),
  deadLetter.map(codec.encodeDeadLetter),
  stateRecord.map(codec.encodeState),
);

/** Every decoder says something of the bytes, and says why when it refuses them. */
function survives(bytes: Uint8Array): void {
  for (const decode of decoders) {
    const decoded = decode(bytes);
    if (!decoded.ok) expect(decoded.detail).toMatch(/\w/);
  }
}

function framed(id: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(id, 1);
  return Buffer.concat([head, body]);
}

describe('decoding never throws', () => {
  const ids = published.map(({ embeddedId }) => embeddedId);
  const id = fc.constantFrom(...ids, ...ids.map((one) => OTHER + one), NESTED, 9999);

  it('for random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), survives), { numRuns: 300 });
  });

  it('for random bodies of any schema', () => {
    const value = fc.tuple(id, fc.uint8Array({ maxLength: 300 })).map(([one, body]) => framed(one, body));
    fc.assert(fc.property(value, survives), { numRuns: 1000 });
  });

  it('for flipped bits', () => {
    const flips = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sound, flips, fc.boolean(), (value, bits, other) => {
        const bytes = Buffer.from(value);
        if (other) bytes.writeUInt32BE(bytes.readUInt32BE(1) + OTHER, 1);
        for (const bit of bits) {
          const at = 5 + ((bit >> 3) % (bytes.length - 5));
          bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
        }
        survives(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('for a part of a value: that is refused', () => {
    fc.assert(
      fc.property(sound, fc.nat(), (value, at) => {
        const part = value.subarray(0, at % value.length);
        for (const decode of decoders) expect(decode(part).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe('decoding takes no more than the bytes are worth', () => {
  const attach = codec.encodeEvent({
    type: 'attach',
    runId: 'run',
    agentId: null,
    sessionId: null,
    gatewayId: 'gw',
    source: 'gw-1',
    sequence: 1,
    observedAt: 0,
  });
  const call = codec.encodeEvent({
    type: 'tool_call',
    runId: 'run',
    agentId: null,
    sessionId: null,
    gatewayId: 'gw',
    source: 'gw-1',
    sequence: 1,
    observedAt: 0,
    callId: null,
    tool: 't',
    args: '0'.repeat(32),
    poll: false,
    delivered: [],
    seen: null,
    despite: null,
    profiles: '',
    keyId: null,
    payload: null,
  });
  /** A count or length of 2^40. */
  const HUGE = [0x80, 0x80, 0x80, 0x80, 0x80, 0x40];
  const COMMON_BYTES = attach.length - 5;
  /** Where `delivered` begins: after the call id, the tool, the digest and the flag. */
  const DELIVERED = COMMON_BYTES + 1 + 2 + 16 + 1;
  const CALL = embeddedIdOf['loopwarden.events.ToolCall'];
  const filler = Buffer.alloc(1_000_000, 0xff);
  const hugeArray = Buffer.from([...call.subarray(5, 5 + DELIVERED), ...HUGE]);

  it.each([
    ['a run id of 1 TiB', framed(CALL, Buffer.from(HUGE))],
    ['an array of 2^40 items', framed(CALL, hugeArray)],
    ['an array of 2^40 items in another version', framed(OTHER + CALL, hugeArray)],
    ['2^40 items without bytes', framed(OTHER + CALL, Buffer.from([...call.subarray(5), ...HUGE]))],
    ['a number of a million bytes', framed(CALL, filler)],
    ['a number of a million bytes in another version', framed(OTHER + CALL, filler)],
    ['half a million levels', framed(NESTED, Buffer.concat([attach.subarray(5), Buffer.alloc(500_000, 2)]))],
  ])('%s is refused at once', (_, bytes) => {
    const start = performance.now();
    expect(codec.decodeEvent(bytes)).toMatchObject({ ok: false, code: 'malformed' });
    expect(performance.now() - start).toBeLessThan(200);
  });
});
