import type { RunEvent, UnknownEvent } from './event.ts';
import { extrasOf, type RunState, type SourceMark } from './run.ts';

/** Producers remembered per run, gateways and operators apart (wire contract, section 4). */
const SOURCES_MAX = 8;

/** What `admit` says of an event that was seen before. */
export const DUPLICATE = -1;

/**
 * Looks an event's number up and remembers it: how many numbers of its source were left out, or `DUPLICATE`
 * where it is not above the highest of its run and source. The first number heard of a source may be any.
 */
export function admit(run: RunState, event: RunEvent | UnknownEvent): number {
  if (event.source !== run.source) return admitOther(run, event);
  const missed = event.sequence - run.highest - 1;
  if (missed < 0) return DUPLICATE;
  run.highest = event.sequence;
  return missed;
}

/** Any source but the gateway heard last, which stands in the run itself. */
function admitOther(run: RunState, { source, sequence, type }: RunEvent | UnknownEvent): number {
  if (run.source === null && run.extras === null && type !== 'release') {
    run.source = source;
    run.highest = sequence;
    return 0;
  }
  const { gateways, operators } = extrasOf(run);
  const isSource = (mark: SourceMark): boolean => mark.source === source;
  const gateway = gateways.find(isSource);
  const known = gateway ?? operators.find(isSource);
  const missed = known === undefined ? 0 : sequence - known.highest - 1;
  if (missed < 0) return DUPLICATE;
  const isOperator = known === undefined ? type === 'release' : gateway === undefined;
  const list = isOperator ? operators : gateways;
  if (known !== undefined) list.splice(list.indexOf(known), 1);
  if (isOperator) {
    list.push({ source, highest: sequence });
  } else {
    if (run.source !== null) list.push({ source: run.source, highest: run.highest });
    run.source = source;
    run.highest = sequence;
  }
  if (list.length > (isOperator ? SOURCES_MAX : SOURCES_MAX - 1)) list.shift();
  return missed;
}
