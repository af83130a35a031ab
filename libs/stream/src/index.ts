export type * from './log.ts';
export { LogError } from './log.ts';
export type * from './record.ts';
