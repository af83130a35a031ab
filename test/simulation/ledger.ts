import { verdictId } from '@loopwarden/detection';
import { readCommitMetadata } from '@loopwarden/detector/parts';
import type { Committed, InRecord } from '@loopwarden/stream';
import { readLineage } from '@loopwarden/wire';
import { codec, TOPICS } from '../station.ts';
import type { World } from './world.ts';

/** Something that was claimed while the control partition ended at `control`. */
export interface Claim {
  readonly what: 'commit' | 'state';
  readonly lineage: number;
  /** First offset that is not claimed to be judged and published. */
  readonly offset: number;
  readonly control: number;
}

/** How a lineage began. */
export interface Origin {
  readonly from: number;
  readonly to: number;
  /** The lineage whose state was loaded; null: events were read from `from`. */
  readonly of: number | null;
}

/** What an observer who sees everything has written down of one partition. */
export interface Pages {
  /** Every event ever appended, also those that the log has lost. */
  readonly events: InRecord[];
  readonly claims: Claim[];
  readonly origins: Map<number, Origin>;
  /** Where the control partition ended when the first record of a snapshot appeared. */
  readonly snapshots: Map<string, number>;
  /** How far the newest state of a format has ever reached. */
  readonly covered: Map<number, number>;
  /** The newest commit as the group holds it. */
  commit: Committed | null;
  /** Next offset to look at. */
  control: number;
  state: number;
}

export interface Ledger {
  /** How many runs a detector holds of a partition. */
  readonly maxRuns: number;
  readonly pages: readonly Pages[];
  /** Every policy revision. */
  readonly policies: InRecord[];
  /** What must never happen and did. */
  readonly wrongs: string[];
}

export function openLedger(partitions: number, maxRuns: number): Ledger {
  const page = (): Pages => ({
    events: [],
    claims: [],
    origins: new Map([[0, { from: 0, to: 0, of: null }]]),
    snapshots: new Map(),
    covered: new Map(),
    commit: null,
    control: 0,
    state: 0,
  });
  return { maxRuns, pages: Array.from({ length: partitions }, page), policies: [], wrongs: [] };
}

/** Writes down what the last step changed. */
export function observe(world: World): void {
  const { committed } = world.broker.coordinator('detectors', TOPICS.events);
  world.ledger.pages.forEach((pages, partition) => {
    if (controlEnd(world, partition) > pages.control) tellControl(world, partition);
    const commit = committed.get(partition);
    if (commit !== undefined && commit !== pages.commit) noteCommit(world, partition, commit);
    const { end } = world.broker.partition(TOPICS.state, partition).range;
    if (end > pages.state) noteStates(world, partition, end);
  });
}

/** Where the control partition ends now. */
function controlEnd({ broker }: World, partition: number): number {
  return broker.partition(TOPICS.control, partition).range.end;
}

function tellControl(world: World, partition: number): void {
  const pages = world.ledger.pages[partition];
  const end = controlEnd(world, partition);
  world.tell(() => {
    const news = world.broker.records(TOPICS.control, partition).slice(pages?.control, end);
    return `      control ${partition}: ${news.map(toldControl).join(', ')}`;
  });
  if (pages !== undefined) pages.control = end;
}

function toldControl({ value, headers }: InRecord): string {
  const control = codec.decodeControl(value ?? new Uint8Array());
  const lineage = readLineage(headers);
  if (!control.ok || control.value.type === 'unknown') return '?';
  if (control.value.type === 'mark') return `mark ${control.value.mark.offset} (${lineage})`;
  const { verdict } = control.value;
  return `${verdictId(verdict)} ${verdict.action} ${verdict.reason ?? verdict.match.scope} (${lineage})`;
}

function noteCommit(world: World, partition: number, commit: Committed): void {
  const { ledger } = world;
  const pages = ledger.pages[partition];
  if (pages === undefined) return;
  const { offset } = commit;
  const lineage = lineageOf(commit);
  const before = pages.commit;
  pages.commit = commit;
  world.tell(() => `      commit ${partition}:${offset} in lineage ${lineage}`);
  if (before !== null && (offset < before.offset || lineage < lineageOf(before)))
    ledger.wrongs.push(`commit ${partition}:${offset} of lineage ${lineage} goes back from ${before.offset}`);
  pages.claims.push({ what: 'commit', lineage, offset, control: controlEnd(world, partition) });
}

/** The lineage that a commit names. */
export function lineageOf({ metadata }: Committed): number {
  return readCommitMetadata(metadata)?.lineage ?? -1;
}

function noteStates(world: World, partition: number, end: number): void {
  const pages = world.ledger.pages[partition];
  if (pages === undefined) return;
  for (const { offset, value } of world.broker.records(TOPICS.state, partition)) {
    if (offset < pages.state || value === null) continue;
    const state = codec.decodeState(value);
    if (!state.ok) continue;
    const { snapshot } = state.value;
    const control = pages.snapshots.get(snapshot) ?? controlEnd(world, partition);
    pages.snapshots.set(snapshot, control);
    world.tell(() => `      state ${partition}:${offset} ${state.value.type} of #${pages.snapshots.size}`);
    if (state.value.type !== 'manifest') continue;
    const { coveredOffset, lineage, format } = state.value;
    world.tell(() => `        covers ${coveredOffset} in lineage ${lineage}, format ${format}`);
    pages.covered.set(format, Math.max(coveredOffset, pages.covered.get(format) ?? 0));
    pages.claims.push({ what: 'state', lineage, offset: coveredOffset, control });
  }
  pages.state = end;
}
