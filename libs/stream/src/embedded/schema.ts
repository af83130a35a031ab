/** What `PRAGMA application_id` says in a file of ours: "lwlg". */
export const applicationId = 0x6c776c67;

/** Version of the tables below; a file of another version is refused. */
export const schemaVersion = 1;

/**
 * A lane is one partition of one topic. Each has a table of records of its own: appends then go to the end
 * of a tree, which writes half the pages that one tree for all lanes would.
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

/** The table of a lane's records. */
export function recordTable(lane: number): string {
  return `record_${lane}`;
}

export function createRecordTable(lane: number): string {
  return `CREATE TABLE ${recordTable(lane)} (
    offset INTEGER PRIMARY KEY,
    timestamp INTEGER NOT NULL,
    key BLOB,
    headers TEXT,
    value BLOB
  ) STRICT`;
}
