export { type EmbeddedLogOptions, openEmbeddedLog } from './embedded-log.ts';
