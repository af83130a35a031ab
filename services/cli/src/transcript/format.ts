import type { JsonObject } from '../json-value.ts';
import type { PublicEvent } from './public-event.ts';

/** Where a transcript comes from. */
export interface Origin {
  readonly path: string;
  /** A name for a session that no other file of this replay has: copies of a session are runs of their own. */
  readonly claim: (session: string) => string;
}

/** Turns the lines of one transcript into events, one line after the other. */
export interface TranscriptReader {
  /** Null: a line of a type that says nothing about tools. */
  read(line: JsonObject): readonly PublicEvent[] | null;
  /** What is still held back, and the ends of the runs that the transcript leaves open. */
  end(): readonly PublicEvent[];
}

/** A transcript format, recognised by what its lines say, never by a file name. */
export interface TranscriptFormat {
  readonly id: 'events' | 'openclaw' | 'claude-code' | 'codex';
  /** For people. */
  readonly name: string;
  /** Whether a line can only be of this format. */
  readonly recognises: (line: JsonObject) => boolean;
  readonly open: (origin: Origin) => TranscriptReader;
}
