export { EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from './embedded-log.ts';
