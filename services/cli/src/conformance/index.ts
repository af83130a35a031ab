export { type ConformanceCase, readCase } from './case.ts';
export { playCase } from './play-case.ts';
