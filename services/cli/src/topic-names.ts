import type { TopicName } from '@loopwarden/schemas';

/** Topic names with their prefix. */
export interface TopicNames {
  readonly events: string;
  readonly control: string;
  readonly state: string;
  readonly policies: string;
  readonly deadLetters: string;
}

export function topicNames(prefix: string): TopicNames {
  const named = (name: TopicName): string => `${prefix}${name}`;
  return {
    events: named('events'),
    control: named('control'),
    state: named('state'),
    policies: named('policies'),
    deadLetters: named('dead-letters'),
  };
}
