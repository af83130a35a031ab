import attach1 from './samples/attach.v1.json' with { type: 'json' };
import compaction1 from './samples/compaction.v1.json' with { type: 'json' };
import deadLetter1 from './samples/dead-letter.v1.json' with { type: 'json' };
import operatorRelease1 from './samples/operator-release.v1.json' with { type: 'json' };
import policyApplied1 from './samples/policy-applied.v1.json' with { type: 'json' };
import policyRevision1 from './samples/policy-revision.v1.json' with { type: 'json' };
import progressMark1 from './samples/progress-mark.v1.json' with { type: 'json' };
import runEnd1 from './samples/run-end.v1.json' with { type: 'json' };
import stateChunk1 from './samples/state-chunk.v1.json' with { type: 'json' };
import stateManifest1 from './samples/state-manifest.v1.json' with { type: 'json' };
import toolCall1 from './samples/tool-call.v1.json' with { type: 'json' };
import toolResult1 from './samples/tool-result.v1.json' with { type: 'json' };
import verdict1 from './samples/verdict.v1.json' with { type: 'json' };

/** Values in the bytes of one published version, as another Avro library wrote them. Never changed once published. */
export interface SampleFile {
  readonly record: string;
  readonly version: number;
  readonly embeddedId: number;
  /** SHA-256 of the schema without its docs, as compact JSON. */
  readonly fingerprint: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  /** The Avro body in hex. */
  readonly body: string;
  /** What it says, in the form of the domain; bytes in hex. */
  readonly value: object;
}

/** The samples of every version that was ever published. */
export const sampleFiles: readonly SampleFile[] = [
  attach1,
  compaction1,
  deadLetter1,
  operatorRelease1,
  policyApplied1,
  policyRevision1,
  progressMark1,
  runEnd1,
  stateChunk1,
  stateManifest1,
  toolCall1,
  toolResult1,
  verdict1,
];
