import type { ToolResult } from '@loopwarden/detection';
import { current, embeddedIdOf } from '@loopwarden/schemas';
import { createEmbeddedCodec } from '@loopwarden/wire';
import { avroForm, avroType } from '../wire/avro-form.ts';
import { type Bench, measure, perSecond } from './measure.ts';

const RECORD = 'loopwarden.events.ToolResult';
const SCHEMA = current[RECORD].schema;
const TIMES = 300_000;
/** Values to take in turns: what differs from event to event differs here. */
const VALUES = 512;
/** What judging needs; avsc is at its best when it skips the rest. */
const AUDIT_ONLY = ['observedAt', 'seen', 'durationMs', 'payload'];

/**
 * The widest event to framed bytes and back, against avsc without any conversion: digests stay buffers, enums
 * as they are. Encoding goes into one buffer with one copy out; decoding is taken whole and projected.
 */
export const bench: Bench = async function* () {
  const codec = createEmbeddedCodec();
  const type = avroType(SCHEMA);
  const events = Array.from({ length: VALUES }, (_, index) => toolResult(index));
  const forms = events.map((event) => avroForm(type, event));
  const values = events.map((event) => Buffer.from(codec.encodeEvent(event)));
  const bodies = values.map((value) => value.subarray(5));
  const projected = avroType({
    ...SCHEMA,
    fields: SCHEMA.fields.filter(({ name }) => !AUDIT_ONLY.includes(name)),
  });
  const resolver = projected.createResolver(type);

  yield await compare('codec encode', rate(events, codec.encodeEvent), rate(forms, pooled(type)));
  yield await compare(
    'codec decode',
    rate(values, codec.decodeEvent),
    rate(bodies, (body) => type.fromBuffer(body)),
  );
  yield await compare(
    'codec decode against projection',
    rate(values, codec.decodeEvent),
    rate(bodies, (body) => projected.fromBuffer(body, resolver)),
  );
};

type Rate = () => Promise<number>;

function compare(name: string, sample: Rate, baseline: Rate) {
  return measure({ name, unit: 'values/s', sample, baseline });
}

function rate<T>(values: readonly T[], work: (value: T) => unknown): Rate {
  return () =>
    perSecond(TIMES, () => {
      for (let done = 0; done < TIMES; done += values.length) for (const value of values) work(value);
    });
}

/** avsc's `encode` into one buffer that is kept, framed there, and copied out once. */
function pooled(type: ReturnType<typeof avroType>): (value: unknown) => Uint8Array {
  const pool = Buffer.allocUnsafeSlow(4096);
  return (value) => {
    pool[0] = 0;
    pool.writeUInt32BE(embeddedIdOf[RECORD], 1);
    const end = type.encode(value, pool, 5);
    const copy = Buffer.allocUnsafe(end);
    pool.copy(copy, 0, 0, end);
    return copy;
  };
}

/** As a fleet writes it: a few gateways and tools, many runs, every call and outcome new. */
function toolResult(index: number): ToolResult {
  const hex = index.toString(16).padStart(4, '0');
  return {
    type: 'tool_result',
    runId: `5f0c1e2a-7b1d-4c55-9f3e-00000000${hex}`,
    agentId: `agent-${index % 8}`,
    sessionId: `session-${index % 32}`,
    gatewayId: `gateway-${index % 4}`,
    source: `gateway-${index % 4}/b64c0f`,
    sequence: index + 1,
    observedAt: 1_767_225_600_000 + index,
    callId: `toolu_01A09q90qw90lq917835${hex}`,
    tool: ['read', 'exec', 'web_search', 'process'][index % 4] ?? 'read',
    args: `00112233445566778899aabbccdd${hex}`,
    poll: false,
    outcome: 'result',
    digest: `ffeeddccbbaa9988776655443322${hex}`,
    missingTool: null,
    verdict: null,
    seen: null,
    durationMs: 100 + index,
    profiles: '1',
    keyId: null,
    payload: null,
  };
}
