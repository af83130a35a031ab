import { fleetEvents } from './fleet.ts';
import { judgeAll, partitionOf } from './judging.ts';

// Says what a fleet costs: node --expose-gc memory.ts RUNS CALLS. One line of JSON: bytes a run, and of the process.

const [runs = 0, calls = 0] = process.argv.slice(2).map(Number);

/** Heap and buffers once the collector has nothing left to do. */
function held(): number {
  for (let round = 0; round < 4; round += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const partition = partitionOf();
judgeAll(partitionOf(), fleetEvents({ runs: 1000, calls: 40, looping: Number.POSITIVE_INFINITY }));
const before = held();
judgeAll(partition, fleetEvents({ runs, calls, looping: Number.POSITIVE_INFINITY }));
const perRun = (held() - before) / runs;
console.log(
  JSON.stringify({ perRun, process: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1024 }),
);
if (partition.runs.size !== runs) throw new Error('some runs were forgotten');
