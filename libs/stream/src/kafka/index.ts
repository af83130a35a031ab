export { kafkaLog } from './kafka-log.ts';
export type { KafkaLogLine, KafkaOptions, KafkaSasl, KafkaTimings, KafkaTls } from './options.ts';
