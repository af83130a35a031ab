export {
  type ConfigFault,
  type ConfigOrigins,
  type ConfigResult,
  type ConfigSources,
  type Relation,
  resolveConfig,
} from './config.ts';
export { readConfigFile } from './config-file.ts';
export { type DescribedSetting, describeConfig } from './describe-config.ts';
export { createDetectorMetrics, type DetectorMetrics } from './detector-metrics.ts';
export { detectorRelations, detectorSettings } from './detector-settings.ts';
export type { Checks } from './health.ts';
export { type HealthServer, HealthServerError, startHealthServer } from './health-server.ts';
export { createLifecycle, type Lifecycle } from './lifecycle.ts';
export { logRelations, logSettings } from './log-settings.ts';
export { createLogger, type Logger, silentLogger } from './logger.ts';
export { createMetricsRegistry, type MetricsRegistry } from './metrics-registry.ts';
export { processRelations, processSettings } from './process-settings.ts';
export { type ConfigOf, type SettingsTable, settingNames, settingsTable } from './setting.ts';
export { unknownVariables } from './unknown-variables.ts';
