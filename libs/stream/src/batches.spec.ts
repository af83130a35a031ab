import { EMPTY, from, lastValueFrom, map, Subject, timer, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { batches } from './batches.ts';
import type { Batch } from './record.ts';

const batch = (end: number): Batch => ({ topic: 'events', partition: 0, records: [], end });

/** Yields batches with the ends 1, 2, …, and notes which were asked for. */
async function* counted(count: number, asked: number[]): AsyncGenerator<Batch> {
  for (let end = 1; end <= count; end += 1) {
    asked.push(end);
    yield batch(end);
  }
}

/** Lets every promise that can settle do so. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('batches', () => {
  it('passes on what the pipeline makes of each batch, in order, and completes with the read', async () => {
    const ends$ = batches(
      () => counted(3, []),
      ({ end }) => from([end, end * 10]),
    );
    expect(await lastValueFrom(ends$.pipe(toArray()))).toEqual([1, 10, 2, 20, 3, 30]);
    const nothing$ = batches(
      () => counted(3, []),
      () => EMPTY,
    );
    expect(await lastValueFrom(nothing$.pipe(toArray()))).toEqual([]);
  });

  it('does not read ahead of the pipeline', async () => {
    const asked: number[] = [];
    const working = [new Subject<string>(), new Subject<string>(), new Subject<string>()];
    const heard: string[] = [];
    batches<string>(
      () => counted(3, asked),
      ({ end }) => working[end - 1] ?? EMPTY,
    ).subscribe((text) => heard.push(text));
    await turn();
    working[0]?.next('half');
    await turn();
    expect(asked).toEqual([1]);
    working[0]?.complete();
    await turn();
    expect(asked).toEqual([1, 2]);
    expect(heard).toEqual(['half']);
  });

  it('aborts the read when nobody listens any more', async () => {
    let aborted: AbortSignal | undefined;
    const subscription = batches(
      (signal) => {
        aborted = signal;
        return counted(1000, []);
      },
      () => timer(1).pipe(map(() => 'later')),
    ).subscribe();
    expect(aborted?.aborted).toBe(false);
    subscription.unsubscribe();
    expect(aborted?.aborted).toBe(true);
  });

  it('fails when the read or the pipeline fails', async () => {
    async function* failing(): AsyncGenerator<Batch> {
      yield batch(1);
      throw new Error('the log is gone');
    }
    const read$ = batches(failing, ({ end }) => [end]);
    await expect(lastValueFrom(read$)).rejects.toThrow('the log is gone');
    const pipeline$ = batches(
      () => counted(2, []),
      () => {
        throw new Error('broken');
      },
    );
    await expect(lastValueFrom(pipeline$)).rejects.toThrow('broken');
  });
});
