import type { TopicName } from '@loopwarden/schemas';

const NAMES = {
  events: 'events',
  control: 'control',
  state: 'state',
  policies: 'policies',
  deadLetters: 'dead-letters',
} as const satisfies Record<string, TopicName>;

/** Topic names with their prefix. */
export type TopicNames = Readonly<Record<keyof typeof NAMES, string>>;

export function topicNames(prefix: string): TopicNames {
  const named = (name: TopicName): string => `${prefix}${name}`;
  const { events, control, state, policies, deadLetters } = NAMES;
  return {
    events: named(events),
    control: named(control),
    state: named(state),
    policies: named(policies),
    deadLetters: named(deadLetters),
  };
}

/** The topic that somebody means, with its prefix or without; undefined: there is none. */
export function topicNamed(topics: TopicNames, name: string): string | undefined {
  const keys = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const key = keys.find((candidate) => NAMES[candidate] === name || topics[candidate] === name);
  return key === undefined ? undefined : topics[key];
}
