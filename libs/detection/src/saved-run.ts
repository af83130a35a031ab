import {
  type ByteReader,
  type ByteWriter,
  byteReader,
  byteWriter,
  readCount,
  readNumber,
  readText,
  readTextLike,
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

/** What the runs of a partition share while they are restored. */
export interface Restoring {
  readonly memory: Memory;
  reader: ByteReader | null;
  /** The run before: agents, sessions and gateways are likely to come again. */
  before: RunState | null;
}

export function restoreRun(bytes: Uint8Array, restoring: Restoring): RunState {
  const { memory, before } = restoring;
  const reader = byteReader(bytes, restoring.reader);
  const runId = readText(reader) ?? '';
  const agentId = readTextLike(reader, before?.agentId ?? null);
  const sessionId = readTextLike(reader, before?.sessionId ?? null);
  const gatewayId = readTextLike(reader, before?.gatewayId ?? null) ?? '';
  const source = readTextLike(reader, before?.source ?? null);
  const epoch = readNumber(reader);
  const lastAt = readNumber(reader);
  const highest = readNumber(reader);
  const counted = readCount(reader);
  const { page, base, tags } = restoreWindow(reader, memory);
  const run: RunState = {
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
    saved: 0,
    newer: null,
    older: null,
    page,
    base,
    tags,
  };
  restoring.reader = reader;
  restoring.before = run;
  return run;
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
