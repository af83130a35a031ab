import { expect, it } from 'vitest';
import { settingsTable } from './setting.ts';
import { unknownVariables } from './unknown-variables.ts';

const table = settingsTable({
  log: { type: 'string', default: null, text: '' },
  dataDir: { type: 'string', default: null, text: '' },
  'http.port': { type: 'integer', default: 80, text: '' },
  'http.token': { type: 'secret', default: null, text: '' },
  'kafka.brokers': { type: 'list', default: [], text: '' },
});

it.each([
  ['LOOPWARDEN_KAFKA_BROKER', 'LOOPWARDEN_KAFKA_BROKERS'],
  ['LOOPWARDEN_BROKERS', 'LOOPWARDEN_KAFKA_BROKERS'],
  ['LOOPWARDEN_DATADIR', 'LOOPWARDEN_DATA_DIR'],
  ['LOOPWARDEN_HTTP_PROT', 'LOOPWARDEN_HTTP_PORT'],
  ['LOOPWARDEN_HTTP_TOKN', 'LOOPWARDEN_HTTP_TOKEN'],
])('%s is named, with %s', (name, nearest) => {
  expect(unknownVariables(table, { [name]: 'x' })).toEqual([
    `${name} is no setting: did you mean ${nearest}?`,
  ]);
});

it('a name that is like no other is named alone, and every one is', () => {
  expect(unknownVariables(table, { LOOPWARDEN_UNHEARD_OF: '1', LOOPWARDEN_LOGG: 'x' })).toEqual([
    'LOOPWARDEN_LOGG is no setting: did you mean LOOPWARDEN_LOG?',
    'LOOPWARDEN_UNHEARD_OF is no setting: correct its name or remove it.',
  ]);
});

it.each([
  { LOOPWARDEN_LOG: 'kafka', LOOPWARDEN_HTTP_PORT: '0' },
  { HTTP_PORT: '1', LOOPWARD: 'x' },
  { LOOPWARDEN_LOGG: '' },
  { LOOPWARDEN_REQUIRE_BROKER: '1', LOOPWARDEN_TEST_BROKERS: 'a:1', LOOPWARDEN_SIM_SEEDS: '5' },
  { LOOPWARDEN_LAW_RUNS: '9' },
])('settings, other names, what is not set and what steers tests are well: %j', (environment) => {
  expect(unknownVariables(table, environment)).toEqual([]);
});

it('a service of Kubernetes that is named after the product is well, and a port that no setting has is not', () => {
  const service = {
    LOOPWARDEN_SERVICE_HOST: '10.96.0.7',
    LOOPWARDEN_SERVICE_PORT: '9464',
    LOOPWARDEN_SERVICE_PORT_METRICS: '9464',
    LOOPWARDEN_PORT: 'tcp://10.96.0.7:9464',
    LOOPWARDEN_PORT_9464_TCP: 'tcp://10.96.0.7:9464',
    LOOPWARDEN_PORT_9464_TCP_PROTO: 'tcp',
    LOOPWARDEN_PORT_9464_TCP_PORT: '9464',
    LOOPWARDEN_PORT_9464_TCP_ADDR: '10.96.0.7',
    LOOPWARDEN_DETECTOR_SERVICE_HOST: '10.96.0.8',
    LOOPWARDEN_DETECTOR_PORT: 'udp://10.96.0.8:53',
  };
  expect(unknownVariables(table, service)).toEqual([]);
  expect(unknownVariables(table, { ...service, LOOPWARDEN_PORT: '9464' })).toEqual([
    'LOOPWARDEN_PORT is no setting: correct its name or remove it.',
  ]);
});
