export type { OpenedLog } from '../open-log.ts';
export { replayLog } from './replay-log.ts';
