export {
  type ConfigFault,
  type ConfigOrigins,
  type ConfigResult,
  type ConfigSources,
  fault,
  type Relation,
  resolveConfig,
} from './config.ts';
export { type ConfigFile, readConfigFile } from './config-file.ts';
export { type DescribedSetting, describeConfig } from './describe-config.ts';
export { createDetectorMetrics, type DetectorMetrics } from './detector-metrics.ts';
export { detectorRelations, detectorSettings } from './detector-settings.ts';
export { type CheckResult, type Checks, checkHealth, type Health } from './health.ts';
export {
  type HealthServer,
  HealthServerError,
  type HealthServerErrorCode,
  type HealthServerOptions,
  startHealthServer,
} from './health-server.ts';
export {
  createLifecycle,
  EXIT,
  type Lifecycle,
  type LifecycleOptions,
  type ProcessLike,
} from './lifecycle.ts';
export { logRelations, logSettings } from './log-settings.ts';
export { createLogger, type Logger, type LoggerOptions, type LogLine, silentLogger } from './logger.ts';
export { isLoopback } from './loopback.ts';
export {
  createMetricsRegistry,
  type GaugeMetric,
  type Labels,
  METRIC_PREFIX,
  type MetricsRegistry,
} from './metrics-registry.ts';
export { processRelations, processSettings } from './process-settings.ts';
export {
  between,
  type ConfigOf,
  type Environment,
  type Setting,
  type SettingNames,
  type SettingsTable,
  settingNames,
  settingsTable,
} from './setting.ts';
