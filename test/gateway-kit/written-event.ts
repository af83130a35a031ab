import type { GatewayEvent } from '@loopwarden/detection';
import type { Codec } from '@loopwarden/wire';
import type { WrittenEvent } from './scenario.ts';

/** A gateway's own: its names, its clock, what it measured, and what it may leave out. */
const OWN = ['gatewayId', 'source', 'observedAt', 'durationMs', 'profiles', 'keyId', 'payload', 'sessionId'];

/** What two gateways must agree on of an event. */
export function writtenEvent(codec: Codec, value: Uint8Array): WrittenEvent {
  const decoded = codec.decodeEvent(value);
  if (!decoded.ok) throw new Error(`The gateway wrote what is no event: ${decoded.detail}`);
  const event: GatewayEvent = decoded.value as GatewayEvent;
  return Object.fromEntries(Object.entries(event).filter(([key]) => !OWN.includes(key)));
}
