/** Topic names with their prefix. */
export interface TopicNames {
  readonly events: string;
  readonly control: string;
  readonly state: string;
  readonly policies: string;
  readonly deadLetters: string;
}

export function topicNames(prefix: string): TopicNames {
  return {
    events: `${prefix}events`,
    control: `${prefix}control`,
    state: `${prefix}state`,
    policies: `${prefix}policies`,
    deadLetters: `${prefix}dead-letters`,
  };
}
