import type { LoopEvent } from '@loopwarden/detection';
import type { RecordName } from '@loopwarden/schemas';
import { writeToolCall, writeToolResult } from './call-event.ts';
import type { Codec } from './codec.ts';
import { writeDeadLetter } from './dead-letter.ts';
import { HEADER_BYTES, MAX_VALUE_BYTES } from './frame.ts';
import { writeOperatorRelease, writePolicyApplied } from './operator-event.ts';
import { writePolicyRevision } from './policy-revision.ts';
import { writeAttach, writeCompaction, writeRunEnd } from './run-event.ts';
import { createSink, type Sink, takeBytes } from './sink.ts';
import { writeStateChunk, writeStateManifest } from './state-record.ts';
import { writeMark, writeVerdict } from './verdict-record.ts';

type Encoder = Pick<
  Codec,
  'encodeEvent' | 'encodeVerdict' | 'encodeMark' | 'encodePolicyRevision' | 'encodeDeadLetter' | 'encodeState'
>;

/** Writes every value into one buffer, and copies it out once. */
export function createEncoder(ids: Readonly<Record<RecordName, number>>): Encoder {
  const sink = createSink();

  function framed<T>(record: RecordName, write: (sink: Sink, value: T) => void): (value: T) => Uint8Array {
    const id = ids[record];
    return (value) => {
      sink.bytes[0] = 0;
      sink.bytes.writeUInt32BE(id, 1);
      sink.pos = HEADER_BYTES;
      write(sink, value);
      if (sink.pos > MAX_VALUE_BYTES) {
        throw new RangeError(`a value of ${sink.pos} bytes is over the limit of ${MAX_VALUE_BYTES}`);
      }
      return takeBytes(sink);
    };
  }

  const chunk = framed('loopwarden.state.StateChunk', writeStateChunk);
  const manifest = framed('loopwarden.state.StateManifest', writeStateManifest);
  return {
    encodeEvent: eventEncoder(framed),
    encodeVerdict: framed('loopwarden.control.Verdict', writeVerdict),
    encodeMark: framed('loopwarden.control.ProgressMark', writeMark),
    encodePolicyRevision: framed('loopwarden.policies.PolicyRevision', writePolicyRevision),
    encodeDeadLetter: framed('loopwarden.deadletters.DeadLetter', writeDeadLetter),
    encodeState: (record) => (record.type === 'chunk' ? chunk(record) : manifest(record)),
  };
}

type Framed = <T>(record: RecordName, write: (sink: Sink, value: T) => void) => (value: T) => Uint8Array;

function eventEncoder(framed: Framed): (event: LoopEvent) => Uint8Array {
  const attach = framed('loopwarden.events.Attach', writeAttach);
  const toolCall = framed('loopwarden.events.ToolCall', writeToolCall);
  const toolResult = framed('loopwarden.events.ToolResult', writeToolResult);
  const compaction = framed('loopwarden.events.Compaction', writeCompaction);
  const runEnd = framed('loopwarden.events.RunEnd', writeRunEnd);
  const release = framed('loopwarden.events.OperatorRelease', writeOperatorRelease);
  const policy = framed('loopwarden.events.PolicyApplied', writePolicyApplied);
  return (event) => {
    switch (event.type) {
      case 'attach':
        return attach(event);
      case 'tool_call':
        return toolCall(event);
      case 'tool_result':
        return toolResult(event);
      case 'compaction':
        return compaction(event);
      case 'run_end':
        return runEnd(event);
      case 'release':
        return release(event);
      case 'policy':
        return policy(event);
    }
  };
}
