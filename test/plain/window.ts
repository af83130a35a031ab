import { type Digest, signatureKey } from '@loopwarden/detection';

/** One entry of a run's window: a call with its outcome, or an outcome whose call is unknown. */
export interface CallRecord {
  readonly tool: string;
  readonly args: Digest;
  /** Of its signature. */
  readonly key: string;
  readonly callId: string | null;
  readonly poll: boolean;
  /** Null while pending; else kind and digest in one, so that equal outcomes are equal strings. */
  outcome: string | null;
  missingTool: string | null;
}

/** The last records of a run, oldest first. */
export type Window = CallRecord[];

/** A pending record; an outcome may fill it later. */
export function newRecord(of: Pick<CallRecord, 'tool' | 'args' | 'callId' | 'poll'>): CallRecord {
  const { tool, args, callId, poll } = of;
  return { tool, args, key: signatureKey(tool, args), callId, poll, outcome: null, missingTool: null };
}

/** Cuts a window from the front to `size` records. Returns whether records left. */
export function cutWindow(window: Window, size: number): boolean {
  const excess = window.length - size;
  if (excess <= 0) return false;
  window.splice(0, excess);
  return true;
}

/** The newest pending record of this signature; of this call too when it is named. */
export function findPending(
  window: Window,
  wanted: { tool: string; args: Digest; callId: string | null },
): CallRecord | undefined {
  return window.findLast(
    (record) =>
      record.outcome === null &&
      record.args === wanted.args &&
      record.tool === wanted.tool &&
      (wanted.callId === null || record.callId === wanted.callId),
  );
}

/** The newest pending record of a call, whatever its signature. */
export function findPendingCall(window: Window, callId: string | null): CallRecord | undefined {
  if (callId === null) return undefined;
  return window.findLast((record) => record.outcome === null && record.callId === callId);
}
