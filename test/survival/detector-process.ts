import { observe, runDetector, systemTime, topicNames } from '@loopwarden/detector/parts';
import { createDetectorMetrics, createLogger, createMetricsRegistry } from '@loopwarden/runtime';
import { codec } from '../station.ts';
import { openPlace, type Place } from './place.ts';

// A detector as `loopwarden detect` runs it, but for patience: one that is dead is missed sooner, so that more can
// die in a minute.

const { place, group } = JSON.parse(process.argv[2] ?? '') as { place: Place; group: string };
const logger = createLogger({ level: 'info', format: 'json', output: 'stdout' });
const log = await openPlace(place);
const detector = await runDetector({
  log,
  group,
  clientId: `detector-${process.pid}`,
  context: {
    topics: topicNames(place.prefix),
    reader: log.reader,
    writer: log.writer(),
    stateWriter: log.writer(),
    codec,
    findSchema: async () => null,
    operatorKeys: null,
    maxRuns: 200_000,
    time: systemTime,
    facts: observe(logger, createDetectorMetrics(createMetricsRegistry({ runtime: false }))),
  },
});

process.once('SIGTERM', async () => {
  await detector.close();
  await log.close();
});
