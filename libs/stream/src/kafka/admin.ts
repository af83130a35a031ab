import kafkajs, { type Admin } from 'kafkajs';
import type { Drift, LogAdmin, TopicSpec } from '../log.ts';
import { remainingDrift } from '../topic-drift.ts';
import type { Connection } from './connection.ts';
import { toLogError } from './failure.ts';
import { type ActualTopic, settingsDrift, settingsOf, type TopicSettings } from './topic-settings.ts';

const MOST_COPIES = 3;

/** Creates and describes topics. Connects for each task: administration is rare. */
export class KafkaAdmin implements LogAdmin {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  plan(topics: readonly TopicSpec[]): Promise<readonly Drift[]> {
    return this.#with('Topics cannot be compared', (admin) => drift(admin, topics));
  }

  apply(topics: readonly TopicSpec[]): Promise<readonly Drift[]> {
    return this.#with('Topics cannot be applied', async (admin) => {
      const before = await drift(admin, topics);
      const missing = new Set(before.filter(({ actual }) => actual === null).map(({ topic }) => topic));
      const changed = new Set(before.map(({ topic }) => topic).filter((topic) => !missing.has(topic)));
      await this.#create(
        admin,
        topics.filter(({ name }) => missing.has(name)),
      );
      for (const topic of topics) if (changed.has(topic.name)) await change(admin, topic);
      return remainingDrift(before);
    });
  }

  topics(): Promise<readonly string[]> {
    return this.#with('Topics cannot be listed', async (admin) => {
      const names = await admin.listTopics();
      return names.filter((name) => !name.startsWith('__')).sort();
    });
  }

  async #create(admin: Admin, topics: readonly TopicSpec[]): Promise<void> {
    if (topics.length === 0) return;
    const { brokers } = await admin.describeCluster();
    const copies = this.#connection.replication ?? Math.min(MOST_COPIES, brokers.length);
    await admin.createTopics({
      waitForLeaders: true,
      topics: topics.map((topic) => ({
        topic: topic.name,
        numPartitions: topic.partitions,
        replicationFactor: copies,
        configEntries: Object.entries({
          ...settingsOf(topic),
          // One copy may be away without stopping writes, and what is acknowledged is never on one broker alone.
          'min.insync.replicas': String(Math.max(1, copies - 1)),
        }).map(([name, value]) => ({ name, value })),
      })),
    });
  }

  async #with<T>(doing: string, task: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.#connection.admin();
    try {
      await admin.connect();
      return await task(admin);
    } catch (error) {
      throw toLogError(error, doing);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }
}

async function drift(admin: Admin, topics: readonly TopicSpec[]): Promise<readonly Drift[]> {
  const present = new Set(await admin.listTopics());
  const names = topics.map(({ name }) => name).filter((name) => present.has(name));
  const actual = await describe(admin, names);
  return topics.flatMap((topic) => settingsDrift(topic, actual.get(topic.name)));
}

async function describe(admin: Admin, names: readonly string[]): Promise<Map<string, ActualTopic>> {
  if (names.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
  const settings = await topicSettings(admin, names);
  return new Map(
    topics.map(({ name, partitions }) => [
      name,
      { partitions: partitions.length, settings: settings.get(name) ?? {} },
    ]),
  );
}

async function topicSettings(admin: Admin, names: readonly string[]): Promise<Map<string, TopicSettings>> {
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type, name })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}

/** Sets what is declared. The request replaces all of a topic's own settings, so those that stay are sent along. */
async function change(admin: Admin, topic: TopicSpec): Promise<void> {
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type, name: topic.name }],
  });
  const entries = resources[0]?.configEntries ?? [];
  const own = entries.filter(({ configSource }) => configSource === TOPIC_CONFIG);
  const kept = Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]));
  const configEntries = Object.entries({ ...kept, ...settingsOf(topic) }).map(([name, value]) => ({
    name,
    value,
  }));
  await admin.alterConfigs({ validateOnly: false, resources: [{ type, name: topic.name, configEntries }] });
}

/** `DYNAMIC_TOPIC_CONFIG`: set on the topic itself. */
const TOPIC_CONFIG = 1;
