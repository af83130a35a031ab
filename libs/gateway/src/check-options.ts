import { createPublicKey } from 'node:crypto';
import {
  checkChoice,
  checkFunction,
  checkNumber,
  checkText,
  checkTexts,
  fieldsOf,
  isGiven,
  refuse,
  shown,
} from './given.ts';
import { MAX_PAYLOAD_BYTES } from './payload.ts';

/** The longest time that a timer of Node.js takes; with a longer one it would be over at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Refuses, with `bad_option`, what a gateway cannot be connected with. */
export function checkOptions(options: unknown): void {
  const given = fieldsOf('What was given to connect', options);
  checkConnection(given.log);
  checkGatewayId(given.gatewayId);
  for (const text of ['prefix', 'startId']) if (isGiven(given[text])) checkText(text, given[text]);
  if (isGiven(given.strict)) checkStrict(given.strict);
  if (isGiven(given.onStale)) checkChoice('onStale', given.onStale, ['open', 'closed']);
  if (isGiven(given.hmacKey)) checkDigestKey(given.hmacKey);
  if (isGiven(given.payloads)) checkPayloads(given.payloads);
  if (isGiven(given.buffer)) checkBuffer(given.buffer);
  if (isGiven(given.operatorKeys)) checkOperatorKeys(given.operatorKeys);
  if (isGiven(given.maxRuns)) checkNumber('maxRuns', given.maxRuns);
  checkFunction('observer', given.observer);
  if (isGiven(given.clock)) checkMethods('clock', given.clock, ['now', 'later']);
}

function checkConnection(log: unknown): void {
  const { log: driver, codec, findSchema } = partsOf(log);
  const { reader, writer, close } = partsOf(driver);
  const { read, ranges } = partsOf(reader);
  const { encodeEvent, decodeControl } = partsOf(codec);
  const means = [findSchema, writer, close, read, ranges, encodeEvent, decodeControl];
  if (means.every((one) => typeof one === 'function')) return;
  refuse(
    `log is ${shown(log)}; give what openEmbedded or openKafka resolves with: log: await openEmbedded({ dir }).`,
  );
}

function partsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function checkGatewayId(gatewayId: unknown): void {
  if (typeof gatewayId !== 'string') refuse(`gatewayId is ${shown(gatewayId)}; name the gateway.`);
  if (gatewayId.trim() === '') refuse('gatewayId is blank; name the gateway.');
  if (gatewayId === 'operator') refuse('gatewayId "operator" is taken; name the gateway otherwise.');
}

function checkStrict(strict: unknown): void {
  const { deadlineMs, onDeadline } = fieldsOf('strict', strict);
  if (!(typeof deadlineMs === 'number' && deadlineMs > 0 && deadlineMs <= MAX_TIMER_MS)) {
    refuse(`strict.deadlineMs is ${shown(deadlineMs)}; say how many milliseconds a decision may take.`);
  }
  checkChoice('strict.onDeadline', onDeadline, ['open', 'closed']);
}

function checkDigestKey(key: unknown): void {
  const { id, secret } = fieldsOf('hmacKey', key);
  checkText('hmacKey.id', id);
  const sound = (typeof secret === 'string' || secret instanceof Uint8Array) && secret.length > 0;
  if (!sound) refuse('hmacKey.secret is no text and no bytes, or empty; give the secret.');
}

function checkPayloads(payloads: unknown): void {
  const { tools, maxBytes, redact } = fieldsOf('payloads', payloads);
  checkTexts('payloads.tools', tools);
  if (isGiven(maxBytes)) checkNumber('payloads.maxBytes', maxBytes, MAX_PAYLOAD_BYTES);
  checkFunction('payloads.redact', redact);
}

function checkBuffer(buffer: unknown): void {
  const { records, bytes, onFull } = fieldsOf('buffer', buffer);
  if (isGiven(records)) checkNumber('buffer.records', records);
  if (isGiven(bytes)) checkNumber('buffer.bytes', bytes);
  if (isGiven(onFull)) checkChoice('buffer.onFull', onFull, ['drop-oldest', 'refuse']);
}

/** A key that cannot be read would be found out with the first policy that it signed. */
function checkOperatorKeys(keys: unknown): void {
  if (!Array.isArray(keys)) refuse(`operatorKeys is ${shown(keys)}; give the list of public keys.`);
  keys.forEach((key, at) => {
    const { keyId, publicKeyPem } = fieldsOf(`operatorKeys[${at}]`, key);
    checkText(`operatorKeys[${at}].keyId`, keyId);
    if (!isEd25519(publicKeyPem)) {
      refuse(
        `operatorKeys[${at}].publicKeyPem is no Ed25519 key; give it as "loopwarden keys new" wrote it.`,
      );
    }
  });
}

function isEd25519(pem: unknown): boolean {
  try {
    return typeof pem === 'string' && createPublicKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

function checkMethods(option: string, value: unknown, names: readonly string[]): void {
  const fields = fieldsOf(option, value);
  for (const name of names) {
    if (typeof fields[name] !== 'function')
      refuse(`${option}.${name} is ${shown(fields[name])}; give a function.`);
  }
}
