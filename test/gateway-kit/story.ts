import type { Recorder } from './recorder.ts';

export type Story = readonly [name: string, promise: string, tell: () => Promise<Recorder>];

/** Calls that loop, up to the one before the first refusal. */
export async function loop(recorder: Recorder): Promise<void> {
  await recorder.serve();
  for (const callId of ['c1', 'c2', 'c3']) await recorder.turn(callId, 'allow');
  await recorder.turn('c4', 'warn');
  await recorder.turn('c5', 'allow');
}
