import { arch, cpus, totalmem, type } from 'node:os';

/** The machine in one line: a number without it says nothing. */
export function describeMachine(): string {
  const cores = cpus();
  const model = cores[0]?.model.trim() || arch();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${model}, ${cores.length} cores, ${memory} GiB, ${type()} ${arch()}, Node ${process.versions.node}`;
}
