export { createMemoryLog, type MemoryBroker, type MemoryLogOptions } from './broker.ts';
export type { Fault, Faults, Operation } from './fault.ts';
export { inOrder, type Schedule, type SeededScheduler, seededScheduler } from './scheduler.ts';
export { type Clock, type TestClock, testClock } from './test-clock.ts';
