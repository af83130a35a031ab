import attach1 from './avro/attach.v1.avsc.json' with { type: 'json' };
import compaction1 from './avro/compaction.v1.avsc.json' with { type: 'json' };
import deadLetter1 from './avro/dead-letter.v1.avsc.json' with { type: 'json' };
import operatorRelease1 from './avro/operator-release.v1.avsc.json' with { type: 'json' };
import policyApplied1 from './avro/policy-applied.v1.avsc.json' with { type: 'json' };
import policyRevision1 from './avro/policy-revision.v1.avsc.json' with { type: 'json' };
import progressMark1 from './avro/progress-mark.v1.avsc.json' with { type: 'json' };
import runEnd1 from './avro/run-end.v1.avsc.json' with { type: 'json' };
import stateChunk1 from './avro/state-chunk.v1.avsc.json' with { type: 'json' };
import stateManifest1 from './avro/state-manifest.v1.avsc.json' with { type: 'json' };
import toolCall1 from './avro/tool-call.v1.avsc.json' with { type: 'json' };
import toolResult1 from './avro/tool-result.v1.avsc.json' with { type: 'json' };
import verdict1 from './avro/verdict.v1.avsc.json' with { type: 'json' };
import type { AvroRecord, RecordName } from './avro-schema.ts';
import embeddedIds from './embedded-ids.json' with { type: 'json' };

/** One version of a record that was published and is never changed again. */
export interface PublishedVersion {
  readonly record: RecordName;
  /** 1, 2, 3, … per record. */
  readonly version: number;
  /** The schema id on the embedded log; never given to another version. */
  readonly embeddedId: number;
  readonly schema: AvroRecord;
}

/** All versions of each record, oldest first; the last one is written. */
const VERSIONS: Readonly<Record<RecordName, readonly AvroRecord[]>> = {
  'loopwarden.events.Attach': [attach1],
  'loopwarden.events.ToolCall': [toolCall1],
  'loopwarden.events.ToolResult': [toolResult1],
  'loopwarden.events.Compaction': [compaction1],
  'loopwarden.events.RunEnd': [runEnd1],
  'loopwarden.events.OperatorRelease': [operatorRelease1],
  'loopwarden.events.PolicyApplied': [policyApplied1],
  'loopwarden.control.Verdict': [verdict1],
  'loopwarden.control.ProgressMark': [progressMark1],
  'loopwarden.policies.PolicyRevision': [policyRevision1],
  'loopwarden.deadletters.DeadLetter': [deadLetter1],
  'loopwarden.state.StateChunk': [stateChunk1],
  'loopwarden.state.StateManifest': [stateManifest1],
};

const EMBEDDED: Readonly<Record<RecordName, Readonly<Record<string, number>>>> = embeddedIds;

function versionsOf([record, schemas]: [string, readonly AvroRecord[]]): PublishedVersion[] {
  const name = record as RecordName;
  return schemas.map((schema, index) => {
    const embeddedId = EMBEDDED[name][index + 1];
    if (embeddedId === undefined)
      throw new Error(`${record} version ${index + 1} has no id in embedded-ids.json`);
    return { record: name, version: index + 1, embeddedId, schema };
  });
}

/** Every published version of every record. */
export const published: readonly PublishedVersion[] = Object.entries(VERSIONS).flatMap(versionsOf);

/** The version of each record that is written. */
export const current: Readonly<Record<RecordName, PublishedVersion>> = Object.fromEntries(
  published.map((version) => [version.record, version]),
) as Record<RecordName, PublishedVersion>;

/** The schema ids that the embedded log is written with: what a registry would give. */
export const embeddedIdOf: Readonly<Record<RecordName, number>> = Object.fromEntries(
  Object.values(current).map((version) => [version.record, version.embeddedId]),
) as Record<RecordName, number>;
