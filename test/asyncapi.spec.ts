import { existsSync, readFileSync } from 'node:fs';
import { current, topics } from '@loopwarden/schemas';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Reference {
  readonly $ref: string;
}
interface Channel {
  readonly address: string;
  readonly bindings: { readonly kafka: object };
  readonly messages: Readonly<Record<string, Reference>>;
}
interface Message {
  readonly name: string;
  readonly payload: { readonly schema: Reference };
}
interface Document {
  readonly asyncapi: string;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

const home = import.meta.resolve('@loopwarden/schemas/asyncapi.yaml');
const document = parse(readFileSync(new URL(home), 'utf8')) as Document;
const channels = Object.values(document.channels);

/** Every `$ref` of a part of the document, wherever it stands. */
function references(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' ? [String(value)] : references(value),
  );
}

/** What a reference points at: a part of the document, or a file beside it. */
function target(reference: string): unknown {
  if (!reference.startsWith('#/')) return existsSync(new URL(reference, home)) || undefined;
  const steps = reference.slice(2).split('/');
  return steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)?.[step], document);
}

it('is an AsyncAPI 3 document with a channel for every topic', () => {
  expect(document.asyncapi).toBe('3.0.0');
  expect(channels.map(({ address }) => address)).toEqual(topics.map(({ name }) => `loopwarden.${name}`));
});

describe.each(topics)('the channel of $name', (topic) => {
  const channel = channels.find(({ address }) => address === `loopwarden.${topic.name}`);

  it('has the settings of the topic', () => {
    expect(channel?.bindings.kafka).toEqual({
      partitions: topic.partitions,
      topicConfiguration: {
        'cleanup.policy': [topic.cleanup === 'compact' ? 'compact' : 'delete'],
        'retention.ms': topic.retentionMs ?? -1,
        'max.message.bytes': topic.maxMessageBytes,
      },
    });
  });

  it('names the records that are written there, and no others', () => {
    const messages = Object.values(channel?.messages ?? {}).map(({ $ref }) => target($ref) as Message);
    expect(messages.map(({ name }) => name)).toEqual(topic.records);
  });
});

it('describes every record by the schema that is written now', () => {
  const described = Object.values(document.components.messages).map(({ name, payload }) => {
    const file = readFileSync(new URL(payload.schema.$ref, home), 'utf8');
    return [name, JSON.parse(file) as unknown];
  });
  expect(Object.fromEntries(described)).toEqual(
    Object.fromEntries(Object.values(current).map(({ record, schema }) => [record, schema])),
  );
});

it('points at nothing that is not there', () => {
  const dangling = references(document).filter((reference) => target(reference) === undefined);
  expect(dangling).toEqual([]);
  expect(references(document).length).toBeGreaterThan(30);
});
