export { type Detector, type DetectorOptions, runDetector } from './detector.ts';
