import type { Settings } from '@loopwarden/detection';

/** The keys of one `loopDetection` block, as they stand in a policy document. */
export interface Block {
  readonly enabled?: boolean;
  readonly observe?: boolean;
  readonly historySize?: number;
  readonly warningThreshold?: number;
  readonly unknownToolThreshold?: number;
  readonly criticalThreshold?: number;
  readonly globalCircuitBreakerThreshold?: number;
  readonly detectors?: {
    readonly genericRepeat?: boolean;
    readonly knownPollNoProgress?: boolean;
    readonly pingPong?: boolean;
  };
  readonly postCompactionGuard?: { readonly windowSize?: number };
}

export interface PolicyDocument {
  readonly tools?: { readonly loopDetection?: Block };
  readonly agents?: {
    readonly list: readonly { readonly id: string; readonly tools?: { readonly loopDetection?: Block } }[];
  };
  readonly loopwarden?: { readonly idle?: string };
}

const DEFAULT_IDLE_MS = 24 * 3_600_000;

/** The idle horizon in milliseconds; documents of these tests write it in minutes or hours. */
export function idleMs(document: PolicyDocument): number {
  const idle = document.loopwarden?.idle;
  if (idle === undefined) return DEFAULT_IDLE_MS;
  return Number.parseInt(idle, 10) * (idle.endsWith('h') ? 3_600_000 : 60_000);
}

/** The agent's block laid over the global one, defaults filled in, then the order of thresholds repaired. */
export function settingsOf(document: PolicyDocument, agentId: string | null): Settings {
  const global = document.tools?.loopDetection ?? {};
  const agent = document.agents?.list.find((entry) => entry.id === agentId)?.tools?.loopDetection ?? {};
  const block = { ...global, ...agent };
  const detectors = { ...global.detectors, ...agent.detectors };
  const guard = { ...global.postCompactionGuard, ...agent.postCompactionGuard };
  const warningThreshold = numberOr(10, block.warningThreshold);
  const criticalThreshold = Math.max(numberOr(20, block.criticalThreshold), warningThreshold + 1);
  const breaker = Math.max(numberOr(30, block.globalCircuitBreakerThreshold), criticalThreshold + 1);
  return {
    enabled: block.enabled,
    observe: block.observe ?? false,
    historySize: numberOr(30, block.historySize),
    warningThreshold,
    unknownToolThreshold: numberOr(10, block.unknownToolThreshold),
    criticalThreshold,
    globalCircuitBreakerThreshold: breaker,
    genericRepeat: detectors.genericRepeat ?? true,
    knownPollNoProgress: detectors.knownPollNoProgress ?? true,
    pingPong: detectors.pingPong ?? true,
    windowSize: numberOr(3, guard.windowSize),
  };
}

/** A value that is no positive integer is its default: the check refuses it, evaluation does not. */
function numberOr(usual: number, value: number | undefined): number {
  return Number.isInteger(value) && value !== undefined && value > 0 ? value : usual;
}

/** Whether thresholds that one block sets rise as they must. */
export function isOrdered(block: Block): boolean {
  const { warningThreshold, criticalThreshold, globalCircuitBreakerThreshold } = block;
  const rises = (low: number | undefined, high: number | undefined): boolean =>
    low === undefined || high === undefined || low < high;
  return (
    rises(warningThreshold, criticalThreshold) && rises(criticalThreshold, globalCircuitBreakerThreshold)
  );
}

/** The document of a policy event; null: the text is no JSON object, and changes nothing. */
export function readPolicy(text: string): PolicyDocument | null {
  try {
    const document: unknown = JSON.parse(text);
    const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
    return isObject ? (document as PolicyDocument) : null;
  } catch {
    return null;
  }
}
