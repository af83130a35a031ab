import type { Profiles } from './profiles.ts';

/** What one agent's runs are judged by: the overlaid block with defaults filled in and order repaired. */
export interface Settings {
  /** Undefined is a state of its own: detectors off, history and guard on. */
  readonly enabled: boolean | undefined;
  /** Verdicts are shadows: published, counted, never enforced. */
  readonly observe: boolean;
  readonly historySize: number;
  readonly warningThreshold: number;
  readonly unknownToolThreshold: number;
  readonly criticalThreshold: number;
  readonly globalCircuitBreakerThreshold: number;
  readonly genericRepeat: boolean;
  readonly knownPollNoProgress: boolean;
  readonly pingPong: boolean;
  /** Outcomes that the post-compaction guard watches. */
  readonly windowSize: number;
}

/** A policy ready for use. */
export interface Policy {
  readonly settingsFor: (agentId: string | null) => Settings;
  /** Silence in milliseconds after which a run's next event opens a new epoch. */
  readonly idleMs: number;
  /** False: gateways stop all enforcement. */
  readonly enforce: boolean;
  /** What gateways and the edge make digests with. */
  readonly profiles: Profiles;
  /** Version of the tool profiles. */
  readonly profilesVersion: string;
}
