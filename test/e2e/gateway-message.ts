import type { GatewayStats, Strict } from '@loopwarden/gateway';
import type { RunEnding, RunPlan, RunProgress } from './agent-run.ts';

/** How a gateway process is started: one argument, as JSON. */
export interface GatewayOrder {
  readonly gatewayId: string;
  readonly brokers: readonly string[];
  readonly idFile: string;
  readonly prefix: string;
  /** Null: plain mode. */
  readonly strict: Strict | null;
  /** How long an agent thinks before each call, milliseconds. */
  readonly thinkMs: number;
}

export interface ServedRun {
  readonly plan: RunPlan;
  readonly progress: RunProgress;
}

/** To a gateway process. */
export type ToGateway =
  | { readonly kind: 'serve'; readonly run: ServedRun }
  /** Lets go of every run after its call in hand, and ends. */
  | { readonly kind: 'leave' };

/** From a gateway process. */
export type FromGateway =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly ending: RunEnding }
  /** The run goes on elsewhere: it moves, or the gateway leaves. */
  | { readonly kind: 'left'; readonly run: ServedRun; readonly why: 'move' | 'leave' }
  | { readonly kind: 'gone'; readonly stats: GatewayStats };
