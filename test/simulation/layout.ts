import { STATE_LAYOUT, type StateLayout } from '@loopwarden/detector/parts';
import { FOREIGN_LAYOUT, NEXT_LAYOUT } from '../state-layouts.ts';
import { type Mode, pick, type World } from './world.ts';

/** How the detectors of a world save: those of two versions take turns. */
const LAYOUTS: Readonly<Record<Mode, readonly StateLayout[]>> = {
  whole: [STATE_LAYOUT],
  bounded: [STATE_LAYOUT],
  trimmed: [STATE_LAYOUT, STATE_LAYOUT, NEXT_LAYOUT, FOREIGN_LAYOUT],
  upgraded: [STATE_LAYOUT, NEXT_LAYOUT],
  foreign: [STATE_LAYOUT, FOREIGN_LAYOUT],
  rolling: [STATE_LAYOUT, NEXT_LAYOUT],
};

/** How a new detector of a world saves; what it reads stands in the trace. */
export function layoutOf(world: World, name: string): StateLayout {
  const layout = pick(world, LAYOUTS[world.mode]);
  const readers = [...layout.readers].map(([format, read]) => {
    const told: typeof read = (...saved) => {
      world.tell(() => `    ${name}, of format ${layout.format}, goes on from format ${format}`);
      return read(...saved);
    };
    return [format, told] as const;
  });
  return { ...layout, readers: new Map(readers) };
}
