import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { describeOutcome } from './outcome.ts';
import { SHIPPED_PROFILES } from './profiles.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const text = (value: string): unknown => [{ type: 'text', text: value }];

describe('outcomes of sends', () => {
  const send = (details: object, visible = '', args: unknown = { action: 'send', to: 'u' }) => {
    const result = { content: text(visible), details };
    return describeOutcome({ tool: 'message', args, result }, SHIPPED_PROFILES, sha256).digest;
  };

  it('takes two sends as equal that differ in what the channel gave', () => {
    const sent = (n: number) =>
      send({ ok: true, ts: n, parts: [{ message_id: n, receipt: { n } }] }, `sent ${n}`);
    expect(sent(1)).toBe(sent(2));
  });

  it.each([
    ...[
      'messageId',
      'message_id',
      'messageIds',
      'platformMessageId',
      'platformMessageIds',
      'fileId',
      'file_id',
    ],
    ...['fileKey', 'pollId', 'poll_id', 'receipt', 'runId', 'idempotencyKey', 'ts', 'timestamp', 'sentAt'],
    ...['deliveredAt', 'createdAt'],
  ])('%s says nothing about progress', (field) => {
    expect(send({ ok: true, [field]: 'a' })).toBe(send({ ok: true }));
  });

  it.each([{ direction: 'out' }, { senderId: 's' }, { accountId: 'a' }, { conversation: {} }])(
    'the id of a text with %j is a message id',
    (sign) => {
      const message = { text: 'hi', ...sign };
      expect(send({ message: { ...message, id: '1' } })).toBe(send({ message: { ...message, id: '2' } }));
    },
  );

  it.each([
    ...['send', 'broadcast', 'reply', 'thread-reply', 'sendWithEffect', 'sendAttachment', 'upload-file'],
    ...['sticker', 'poll'],
  ])('message %s sends', (action) => {
    expect(send({ ts: 1 }, 'sent 1', { action })).toBe(send({ ts: 2 }, 'sent 2', { action }));
  });

  it('drops the id of what looks like a message only', () => {
    const message = { id: '1', text: 'hi', conversation: {} };
    expect(send({ message })).toBe(send({ message: { ...message, id: '2' } }));
    expect(send({ id: '1' })).not.toBe(send({ id: '2' }));
    expect(send({ m: { id: '1', text: 'hi' } })).not.toBe(send({ m: { id: '2', text: 'hi' } }));
    expect(send({ threadId: '1' })).not.toBe(send({ threadId: '2' }));
  });

  it('knows a send by its exact action', () => {
    expect(send({ ts: 1 }, '', { action: 'Send' })).not.toBe(send({ ts: 2 }, '', { action: 'Send' }));
    expect(send({ ts: 1 }, '', { action: 'sendWithEffect' })).toBe(
      send({ ts: 2 }, '', { action: 'sendWithEffect' }),
    );
  });
});
