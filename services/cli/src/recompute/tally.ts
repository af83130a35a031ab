/** What a replay counts besides what it finds. */
export interface Tally {
  /** Events that were looked at. */
  events: number;
  /** Of those: of the run and of the agent that are asked for; all, where none is. */
  wanted: number;
  /** Events before them, that only warmed up. */
  warmUp: number;
  /** Records among the events looked at that are none. */
  unreadable: number;
  /** Verdicts that were published more than once, with the same id. */
  repeated: number;
  /** Verdicts on events that a newer lineage judged again. */
  superseded: number;
  /** Records of the control topic that cannot be read. */
  unreadableControl: number;
}

export function openTally(): Tally {
  return { events: 0, wanted: 0, warmUp: 0, unreadable: 0, repeated: 0, superseded: 0, unreadableControl: 0 };
}
