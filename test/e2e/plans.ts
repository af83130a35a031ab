import type { RunPlan } from './agent-run.ts';
import { HONEST, LOOPS } from './ways.ts';

const RUNS = 200;
/** Every tenth loops. */
const EVERY = 10;

/**
 * A fleet: kinds take turns, and so do the gateways that runs begin at. Two in five move, some more than once: before
 * a warning, between the warning and the block, and while the block stands.
 */
export function fleetPlans(): readonly RunPlan[] {
  const loops = Object.keys(LOOPS);
  const honest = Object.keys(HONEST);
  return Array.from({ length: RUNS }, (_, index) => {
    const round = Math.floor(index / EVERY);
    const loop = index % EVERY === EVERY - 1;
    const way = (loop ? loops[round % loops.length] : honest[(index - round) % honest.length]) ?? '';
    const prelude = index % 4;
    return {
      runId: `${way.replaceAll(' ', '-')}-${index}`,
      way,
      prelude,
      moves: loop ? movesOfLoop(round) : index % 5 < 2 ? [2 + (index % 3), 7] : [],
      first: index % 3,
    };
  });
}

function movesOfLoop(round: number): readonly number[] {
  switch (round % 4) {
    case 0:
      return [];
    case 1:
      return [4];
    case 2:
      return [3, 10];
    default:
      return [6, 9, 11, 14];
  }
}
