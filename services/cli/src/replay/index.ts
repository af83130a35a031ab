export { InputReading } from './read-inputs.ts';
export { Replay } from './replay.ts';
