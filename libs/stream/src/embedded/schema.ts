/** What `PRAGMA application_id` says in a file of ours: "lwlg". */
export const applicationId = 0x6c776c67;

/** Version of the tables below; a file of another version is refused. */
export const schemaVersion = 1;

/**
 * A lane is one partition of one topic. A record's id is its lane's number times 2^40 plus its offset, so
 * that one tree holds every partition in order and no second index is written.
 *
 * `ordered` says that the timestamps of a lane never went back: then a time is found by halving.
 * `compacted` is the end up to which a lane was compacted.
 */
export const schema = `
  CREATE TABLE topic (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    partitions INTEGER NOT NULL,
    cleanup TEXT NOT NULL,
    retentionMs INTEGER,
    timestamps TEXT NOT NULL
  ) STRICT;
  CREATE TABLE lane (
    id INTEGER PRIMARY KEY,
    topic INTEGER NOT NULL REFERENCES topic (id),
    partition INTEGER NOT NULL,
    start INTEGER NOT NULL DEFAULT 0,
    "end" INTEGER NOT NULL DEFAULT 0,
    latest INTEGER NOT NULL DEFAULT 0,
    ordered INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0,
    UNIQUE (topic, partition)
  ) STRICT;
  CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    timestamp INTEGER NOT NULL,
    key BLOB,
    headers TEXT,
    value BLOB
  ) STRICT;
  CREATE TABLE committed (
    "group" TEXT NOT NULL,
    lane INTEGER NOT NULL REFERENCES lane (id),
    offset INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY ("group", lane)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE lease (
    "group" TEXT NOT NULL,
    topic INTEGER NOT NULL REFERENCES topic (id),
    holder TEXT NOT NULL,
    generation INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY ("group", topic)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE chore (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`;

const laneWidth = 2 ** 40;

/** The most lanes a file can hold: ids stay below 2^53. */
export const maxLanes = 2 ** 13 - 1;

export function recordId(lane: number, offset: number): number {
  return lane * laneWidth + offset;
}

export function offsetOf(id: number): number {
  return id % laneWidth;
}
