import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { freePorts } from './processes.ts';
import type { Services } from './services.ts';

const KAFKA_IMAGE = 'apache/kafka:4.4.0';
const REGISTRY_IMAGE = 'apicurio/apicurio-registry:3.0.9';

/** The host of a container engine that answers, or null. Takes milliseconds where there is none. */
export async function containerHost(): Promise<string | null> {
  return getContainerRuntimeClient().then(
    (client) => client.info.containerRuntime.host,
    () => null,
  );
}

/** A broker and a registry in containers. */
export async function startContainers(host: string): Promise<Services> {
  const [kafka, registry] = await Promise.all([startKafka(host), startRegistry()]);
  const url = `http://${host}:${registry.getMappedPort(8080)}/apis/ccompat/v7`;
  return {
    addresses: { brokers: [`${host}:${kafka.port}`], registry: url },
    stop: async () => {
      await Promise.all([kafka.container.stop(), registry.stop()]);
      return [];
    },
  };
}

async function startKafka(host: string) {
  // A broker names its own address to clients, so the port outside has to be known before it starts.
  const [port = 0] = await freePorts(1);
  const container = await new GenericContainer(KAFKA_IMAGE)
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${host}:${port}`,
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '500',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return { container, port };
}

async function startRegistry() {
  return new GenericContainer(REGISTRY_IMAGE)
    .withExposedPorts(8080)
    .withWaitStrategy(Wait.forHttp('/apis/ccompat/v7/subjects', 8080))
    .start();
}
