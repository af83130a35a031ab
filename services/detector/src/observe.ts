import type { Note, Verdict } from '@loopwarden/detection';
import type { DetectorMetrics, Logger } from '@loopwarden/runtime';
import type { Facts, Place, Restored } from './facts.ts';

/** Binds what the walk reports to log lines and counters. No line holds a payload or a digest. */
export function observe(logger: Logger, metrics: DetectorMetrics): Facts {
  return {
    event: (type) => metrics.event(type),
    note: (note, place) => observeNote(note, place, { logger, metrics }),
    verdict: (verdict, place) => observeVerdict(verdict, place, { logger, metrics }),
    deadLetter: (code, detail, { partition, offset }) => {
      metrics.deadLetter(code);
      logger.warn('A record became a dead letter.', { code, detail, partition, offset });
    },
    delay: (milliseconds) => metrics.eventToVerdict(milliseconds),
    progress: ({ partition, judged, end, liveRuns }) => {
      metrics.lag(partition, Math.max(0, end - judged - 1));
      metrics.liveRuns(partition, liveRuns);
    },
    assigned: (partition) => {
      metrics.assigned(partition);
      logger.info('Partition assigned.', { partition });
    },
    lost: (partition) => {
      metrics.lost(partition);
      logger.info('Partition lost.', { partition });
    },
    restored: (restored) => observeRestored(restored, { logger, metrics }),
    waiting: (partition, detail) => {
      metrics.waiting(partition, detail !== null);
      if (detail === null) logger.info('The partition goes on.', { partition });
      else logger.warn('The partition waits.', { partition, detail });
    },
    committed: () => metrics.commit(),
    saved: ({ partition, covered, bytes }) => {
      metrics.stateBytes(partition, bytes);
      logger.debug('The state was saved.', { partition, covered, bytes });
    },
    stateFailed: (partition, detail) => {
      metrics.logFailed();
      logger.warn('The state could not be saved; it is tried again later.', { partition, detail });
    },
    commitFailed: (partition, detail) => {
      metrics.commitFailed();
      logger.warn('A commit failed.', { partition, detail });
    },
    logFailed: (detail) => {
      metrics.logFailed();
      logger.warn('Trouble with the log.', { detail });
    },
    replaced: (detail) => {
      metrics.logFailed();
      logger.error('This detector was replaced and judges nothing.', { detail });
    },
  };
}

interface Sinks {
  readonly logger: Logger;
  readonly metrics: DetectorMetrics;
}

function observeNote(note: Note, { partition }: Place, { logger, metrics }: Sinks): void {
  switch (note.kind) {
    case 'armed':
      logger.info(`post-compaction guard armed for ${note.windowSize} attempts`, { runId: note.runId });
      break;
    case 'duplicate':
      metrics.duplicate();
      break;
    case 'gap':
      metrics.gap(note.missed);
      logger.warn('Events of a run never came.', { ...note });
      break;
    case 'healed':
      metrics.healed();
      logger.info('A gateway refused a call by a verdict that no longer stands; it was told.', {
        runId: note.runId,
      });
      break;
    case 'forgotten':
      metrics.forgotten(1);
      logger.warn('A live run was forgotten: the partition holds too many.', { ...note, partition });
      break;
    case 'policy':
      metrics.policyRevision(partition, note.revision);
      logger.info('A policy took over.', { partition, revision: note.revision });
      break;
    case 'refused_policy':
      logger.error('A policy was refused; the one in force stays.', { partition, revision: note.revision });
      break;
    default:
      metrics.skipped(note.kind);
  }
}

function observeVerdict(verdict: Verdict, { partition, offset }: Place, { logger, metrics }: Sinks): void {
  const { runId, agentId, action, detector, count, threshold, match, pairedTool, shadow, reason } = verdict;
  metrics.verdict({ detector, action, shadow });
  const facts = {
    runId,
    agentId,
    action,
    detector,
    count,
    tool: match.tool,
    pairedTool,
    shadow,
    partition,
    offset,
  };
  if (action === 'release') logger.debug('A verdict was withdrawn.', { ...facts, reason });
  else if (action === 'warn') logger.warn('A run may be looping.', { ...facts, threshold });
  else logger.error('A run is looping.', { ...facts, threshold });
}

function observeRestored(restored: Restored, { logger, metrics }: Sinks): void {
  const { partition, from, to, newLineage, revision } = restored;
  metrics.restored(partition, { events: to - from, newLineage: newLineage !== null });
  if (revision >= 0) metrics.policyRevision(partition, revision);
  if (newLineage === null) logger.info('Partition restored.', { ...restored });
  else logger.warn('A new lineage begins: runs are renewed.', { ...restored });
}
