import { InputReading, Replay } from 'loopwarden/replay';
import { payloadOf } from './payloads.ts';

const RUNS = 200;
const CALLS = 30;
const RESULT_BYTES = 2_000;
const MEGABYTE = 1_000_000;

/** A recording in the public form of events: calls, and results of about 2 kB. */
export function recordedFleet(): Buffer {
  const lines: string[] = [];
  for (let turn = 0; turn < CALLS; turn += 1) {
    for (let run = 0; run < RUNS; run += 1) {
      const call = {
        runId: `run-${run}`,
        callId: `call-${turn}`,
        tool: 'read',
        args: { path: `/src/${turn}.ts`, limit: 80 },
      };
      const content = [{ type: 'text', text: JSON.stringify(payloadOf(RESULT_BYTES)) }];
      const result = { details: payloadOf(RESULT_BYTES / 2), content };
      lines.push(
        JSON.stringify({ type: 'tool_call', ...call }),
        JSON.stringify({ type: 'tool_result', ...call, result }),
      );
    }
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

export const megabytesOf = (lines: Buffer): number => lines.length / MEGABYTE;

const nothing = (): void => undefined;

export async function replayLines(lines: Buffer): Promise<void> {
  const replay = new Replay(
    { tools: { loopDetection: { enabled: true } } },
    { verdict: nothing, run: nothing },
  );
  const reading = new InputReading({ refused: nothing, invalid: nothing, progress: nothing });
  await reading.read({ path: 'recording.jsonl', bytes: lines.length, open: () => chunksOf(lines) }, replay);
  replay.finish();
  if (reading.totals.events !== 2 * RUNS * CALLS) throw new Error('some events were not replayed');
}

const CHUNK_BYTES = 65_536;

async function* chunksOf(lines: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < lines.length; at += CHUNK_BYTES) yield lines.subarray(at, at + CHUNK_BYTES);
}

/** The limit: what any replay does at least. */
export function parseAndHash(lines: Buffer, hash: (text: string) => string): void {
  for (const line of lines.toString('utf8').split('\n'))
    if (line !== '') hash(JSON.stringify(JSON.parse(line)));
}
