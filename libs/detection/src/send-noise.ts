import { isPlainObject, type PlainObject } from './plain-object.ts';

/** What a channel adds to every message sent: two equal sends differ in nothing else. */
const GIVEN_BY_CHANNEL = new Set([
  'messageId',
  'message_id',
  'messageIds',
  'platformMessageId',
  'platformMessageIds',
  'fileId',
  'file_id',
  'fileKey',
  'pollId',
  'poll_id',
  'receipt',
  'runId',
  'idempotencyKey',
  'ts',
  'timestamp',
  'sentAt',
  'deliveredAt',
  'createdAt',
]);

/** Whether a field of a send's `details` is noise: given by the channel, or the `id` of what looks like a message. */
export function isSendNoise(key: string, owner: object): boolean {
  return GIVEN_BY_CHANNEL.has(key) || (key === 'id' && isPlainObject(owner) && looksLikeMessage(owner));
}

function looksLikeMessage(value: PlainObject): boolean {
  if (typeof value.id !== 'string' || typeof value.text !== 'string') return false;
  return (
    typeof value.direction === 'string' ||
    typeof value.senderId === 'string' ||
    typeof value.accountId === 'string' ||
    isPlainObject(value.conversation)
  );
}
