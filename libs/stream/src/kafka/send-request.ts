import type { Broker } from 'kafkajs/src/cluster/index.js';

/** Sends a request past kafkajs' own methods, and as they do: after a closed connection the next one finds a new. */
export async function sendRequest(broker: Broker, request: object): Promise<unknown> {
  try {
    return await broker.connectionPool.send(request);
  } catch (error) {
    if (error instanceof Error && error.name === 'KafkaJSConnectionClosedError') await broker.disconnect();
    throw error;
  }
}
