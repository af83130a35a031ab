import { type ConfigFault, fault } from './config.ts';
import type { logSettings } from './log-settings.ts';
import { isLocalBroker } from './loopback.ts';
import { between, type ConfigOf, settingsTable } from './setting.ts';

/** What a detector adds to the log and process settings, shared with the commands that start one. */
export const detectorSettings = settingsTable({
  'detector.group': {
    type: 'string',
    default: 'loopwarden-detector',
    text: 'Consumer group: its members share the partitions of one fleet.',
  },
  'detector.instance': {
    type: 'string',
    default: null,
    check: instanceName,
    text: 'Name of this replica, its own and kept through restarts (Kafka): one that is killed is back at once.',
  },
  'detector.maxRunsPerPartition': {
    type: 'integer',
    default: 200_000,
    check: between(1, 10_000_000),
    text: 'Runs kept in memory per partition; beyond it the least recently active is forgotten.',
  },
  'operator.keys': {
    type: 'string',
    default: null,
    text: 'File of public keys (Ed25519) that operators sign with.',
  },
  'operator.allowUnsigned': {
    type: 'boolean',
    default: false,
    text: 'Whether to start without operator.keys on a log beyond loopback.',
  },
});

/** As Kafka has it of a `group.instance.id`: a broker cuts off who sends anything else. */
function instanceName(name: string): string | null {
  return /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/.test(name)
    ? null
    : 'must be 1 to 249 letters, digits, dots, underscores or hyphens.';
}

/** On a log that others reach, anyone who writes could lift a verdict: signatures, or an explicit word. */
function operatorsNeedKeys(
  config: ConfigOf<typeof logSettings> & ConfigOf<typeof detectorSettings>,
): ConfigFault | null {
  const { keys, allowUnsigned } = config.operator;
  const local = config.log === 'embedded' || config.kafka.brokers.every(isLocalBroker);
  if (local || keys !== null || allowUnsigned) return null;
  return fault(
    'operator.keys',
    'must be set, because the log lies beyond loopback; or set operator.allowUnsigned to true.',
  );
}

/** All relations of the detector settings; they read the log settings too. */
export const detectorRelations = [operatorsNeedKeys];
