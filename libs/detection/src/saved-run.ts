import {
  type ByteReader,
  type ByteWriter,
  byteReader,
  byteWriter,
  readCount,
  readNumber,
  readText,
  takePiece,
  writeCount,
  writeNumber,
  writeText,
} from './bytes.ts';
import type { Memory } from './pages.ts';
import type { Extras, RunState } from './run.ts';
import { restoreWindow, saveWindow } from './saved-window.ts';

/** Every save goes on where the one before ended. */
const WRITER: ByteWriter = byteWriter();

/** One run as bytes, exactly as it is. */
export function saveRun(run: RunState): Uint8Array {
  const writer = WRITER;
  for (const text of [run.runId, run.agentId, run.sessionId, run.gatewayId, run.source])
    writeText(writer, text);
  for (const number of [run.epoch, run.lastAt, run.highest]) writeNumber(writer, number);
  writeCount(writer, run.sequence * 2 + Number(run.ended));
  saveWindow(writer, run);
  writeText(writer, run.extras === null ? null : extrasText(run.extras));
  return takePiece(writer);
}

/** @param saved the save that the run counts as taken by */
export function restoreRun(bytes: Uint8Array, memory: Memory, saved: number): RunState {
  const reader = byteReader(bytes);
  const runId = readText(reader) ?? '';
  const [agentId, sessionId] = [readText(reader), readText(reader)];
  const [gatewayId, source] = [readText(reader) ?? '', readText(reader)];
  const [epoch, lastAt, highest] = [readNumber(reader), readNumber(reader), readNumber(reader)];
  const counted = readCount(reader);
  const { page, base, tags } = restoreWindow(reader, memory);
  return {
    runId,
    agentId,
    sessionId,
    gatewayId,
    epoch,
    sequence: Math.floor(counted / 2),
    ended: counted % 2 === 1,
    lastAt,
    source,
    highest,
    extras: restoreExtras(reader),
    saved,
    newer: null,
    older: null,
    page,
    base,
    tags,
  };
}

/** Few runs have them, so they need no form of their own. */
function extrasText({ warned, slots, ...plain }: Extras): string {
  return JSON.stringify({ ...plain, warned: [...warned], slots: [...slots] });
}

function restoreExtras(reader: ByteReader): Extras | null {
  const text = readText(reader);
  if (text === null) return null;
  const { warned, slots, ...plain } = JSON.parse(text);
  return { ...plain, warned: new Map(warned), slots: new Map(slots) };
}
