export { type DetectorConfig, type RunningDetector, type Surroundings, start } from './start.ts';
