import { open, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/** The bytes of a file, and those that are appended to it, until the signal aborts. */
export async function* followFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let position = 0;
  while (!signal.aborted) {
    const chunk = await readFrom(path, position);
    position += chunk.length;
    if (chunk.length > 0) {
      yield chunk;
      continue;
    }
    const size = await stat(path).then(
      (found) => found.size,
      () => position, // moved away for a moment: what comes back under the name is read on
    );
    if (size < position) position = 0; // written anew
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function readFrom(path: string, position: number): Promise<Uint8Array> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return new Uint8Array(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
