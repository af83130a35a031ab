import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Played, play } from './play.ts';

// Plays LOOPWARDEN_SIM_SEEDS worlds (200,000) from LOOPWARDEN_SIM_FIRST (1) on, in two workers.

const WORKERS = 2;
const TOLD_MAX = 5;

interface Share {
  readonly first: number;
  readonly end: number;
  readonly step: number;
}

/** What a worker says: a seed that failed, or how many it has played since it last said so. */
type News = { readonly failed: Played } | { readonly played: number };

if (isMainThread)
  await playAll(numberOf('LOOPWARDEN_SIM_FIRST', 1), numberOf('LOOPWARDEN_SIM_SEEDS', 200_000));
else await playShare(workerData as Share);

function numberOf(name: string, usual: number): number {
  const value = Number(process.env[name] ?? usual);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a whole number above 0.`);
  return value;
}

async function playAll(first: number, seeds: number): Promise<void> {
  const began = performance.now();
  const failed: Played[] = [];
  let played = 0;
  const hear = (news: News): void => {
    if ('played' in news) played += news.played;
    else {
      failed.push(news.failed);
      console.error(`Seed ${news.failed.seed} fails: ${news.failed.wrongs[0]}`);
    }
  };
  const rate = (): string => `${Math.round((played * 1000) / (performance.now() - began))} a second`;
  const progress = setInterval(() => {
    console.error(`${played} of ${seeds} seeds, ${failed.length} failed, ${rate()}`);
  }, 10_000);
  await Promise.all(
    Array.from({ length: WORKERS }, (_, at) =>
      work({ first: first + at, end: first + seeds, step: WORKERS }, hear),
    ),
  );
  clearInterval(progress);
  for (const { wrongs, trace } of failed.slice(0, TOLD_MAX))
    console.log([...trace, ...wrongs, ''].join('\n'));
  console.log(`${played} seeds, ${rate()}; failed: ${failed.map(({ seed }) => seed).join(', ') || 'none'}.`);
  if (failed.length > 0) process.exitCode = 1;
}

function work(share: Share, hear: (news: News) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker
      .on('message', hear)
      .on('error', reject)
      .on('exit', () => resolve());
  });
}

async function playShare({ first, end, step }: Share): Promise<void> {
  const say = (news: News): void => parentPort?.postMessage(news);
  for (let seed = first; seed < end; seed += step) {
    const outcome = await play(seed);
    if (outcome.wrongs.length > 0) say({ failed: outcome });
    say({ played: 1 });
  }
}
