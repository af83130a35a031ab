import { LogError } from '@loopwarden/stream';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostile, hostileObject } from '../../../test/gateway/hostile-values.ts';
import { Rig } from '../../../test/gateway/rig.ts';
import { connect } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import type { GatewayOptions } from './gateway-options.ts';

const RUNS = 150;

let rig: Rig;

beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

/** The code of what was thrown, which must be an error of ours. */
function codeOf(error: unknown): string {
  if (!(error instanceof GatewayError || error instanceof LogError)) throw error;
  expect(error.message).toMatch(/\.$/);
  return error.code;
}

async function given(wrong: object): Promise<string> {
  const log = { log: rig.broker.connect('gw'), codec: rig.codec, findSchema: async () => null };
  return codeOfConnecting({ log, gatewayId: 'gw', ...wrong });
}

async function codeOfConnecting(options: unknown): Promise<string> {
  try {
    await (await connect(options as GatewayOptions)).close({ withinMs: 0 });
    return 'connected';
  } catch (error) {
    return codeOf(error);
  }
}

const OPTIONS = [
  'log',
  'gatewayId',
  'prefix',
  'strict',
  'onStale',
  'hmacKey',
  'payloads',
  'buffer',
  'operatorKeys',
  'observer',
  'maxRuns',
  'clock',
  'startId',
];

it.each(OPTIONS)('%s of any value is taken or refused with bad_option', async (option) => {
  await fc.assert(
    fc.asyncProperty(hostile, async (make) => {
      const code = await given({ [option]: make() });
      expect(['connected', 'bad_option', ...(option === 'prefix' ? ['refused'] : [])]).toContain(code);
    }),
    { numRuns: RUNS / 5 },
  );
});

it('fields of options, likewise', async () => {
  const nested = fc.oneof(
    hostileObject('records', 'bytes', 'onFull').map((make) => () => ({ buffer: make() })),
    hostileObject('deadlineMs', 'onDeadline').map((make) => () => ({ strict: make() })),
    hostileObject('id', 'secret').map((make) => () => ({ hmacKey: make() })),
    hostileObject('tools', 'maxBytes', 'redact').map((make) => () => ({ payloads: make() })),
    hostileObject('keyId', 'publicKeyPem').map((make) => () => ({ operatorKeys: [make()] })),
    hostileObject('log', 'codec', 'findSchema').map((make) => () => ({ log: make() })),
  );
  await fc.assert(
    fc.asyncProperty(nested, async (make) => {
      expect(['connected', 'bad_option']).toContain(await given(make()));
    }),
    { numRuns: RUNS },
  );
});

it('anything in place of options is refused', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (make) => {
      expect(await codeOfConnecting(make())).toBe('bad_option');
    }),
    { numRuns: RUNS },
  );
});

it.each([
  [{ log: 5 }, 'log is 5; give what openEmbedded or openKafka resolves with'],
  [{ log: Promise.resolve() }, 'await openEmbedded'],
  [{ gatewayId: undefined }, 'gatewayId is undefined; name the gateway.'],
  [
    { strict: { deadlineMs: '5', onDeadline: 'open' } },
    'strict.deadlineMs is "5"; say how many milliseconds',
  ],
  [{ buffer: { records: '5' } }, 'buffer.records is "5"; give a number from 1'],
  [{ buffer: { bytes: Number.POSITIVE_INFINITY } }, 'buffer.bytes is Infinity'],
  [{ payloads: { tools: 'read' } }, 'payloads.tools is "read"; give a list'],
  [{ operatorKeys: 'operators.json' }, 'operatorKeys is "operators.json"; give the list of public keys.'],
  [{ hmacKey: { id: 'k' } }, 'hmacKey.secret'],
  [{ observer: {} }, 'observer is an object; give a function.'],
])('%o is refused with a sentence that says what to give', async (wrong, sentence) => {
  await expect(rig.connect(wrong as never)).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining(sentence),
  });
});

it('a bound that is left out by name has its default', async () => {
  const fail = new Rig({ faults: ({ kind }) => (kind === 'append' ? { fail: 'before' } : undefined) });
  const { gateway } = await fail.connect({ buffer: { records: undefined, bytes: undefined } as never });
  const run = gateway.run({ runId: 'r' });
  for (let index = 0; index < 10_100; index += 1) run.afterCall({ tool: 'read', result: index });
  expect(gateway.stats()).toMatchObject({ held: { records: 10_000 }, dropped: { buffer: 101 } });
  await fail.close();
});
