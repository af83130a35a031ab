import { type Sample, sampleFiles } from '@loopwarden/schemas/samples';
import { describe, expect, it } from 'vitest';
import { createEmbeddedCodec } from './codec.ts';

const codec = createEmbeddedCodec();

const DECODERS: Readonly<Record<string, (value: Uint8Array) => unknown>> = {
  events: codec.decodeEvent,
  control: decodedControl,
  policies: codec.decodePolicyRevision,
  deadletters: codec.decodeDeadLetter,
  state: codec.decodeState,
};

function decoded(record: string, value: Uint8Array): unknown {
  return DECODERS[record.split('.')[1] ?? '']?.(value);
}

function framed(id: number, { body }: Sample): Buffer {
  return Buffer.from(`00${id.toString(16).padStart(8, '0')}${body}`, 'hex');
}

/** As samples are filed: bytes in hex. */
function filed(value: unknown): unknown {
  const hex = (_: string, part: unknown) =>
    part instanceof Uint8Array ? Buffer.from(part).toString('hex') : part;
  return JSON.parse(JSON.stringify(value, hex));
}

/** What stands in control is filed without its wrapper. */
function decodedControl(bytes: Uint8Array): unknown {
  const decoded = codec.decodeControl(bytes);
  if (!decoded.ok || decoded.value.type === 'unknown') return decoded;
  return { ok: true, value: decoded.value.type === 'mark' ? decoded.value.mark : decoded.value.verdict };
}

describe.each(sampleFiles)('$record, version $version', ({ record, embeddedId, samples }) => {
  it('has samples', () => {
    expect(samples.length).toBeGreaterThan(0);
  });

  it.each(samples)('$name means what it meant when it was written', (sample) => {
    const result = decoded(record, framed(embeddedId, sample)) as { ok: boolean; value?: unknown };
    expect(result).toMatchObject({ ok: true });
    expect(filed(result.value)).toMatchObject(sample.value);
  });
});
