/** One `tools.loopDetection` block, global or of an agent. Every field may be missing. */
interface LoopDetectionBlock {
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

/** Which calls of a tool a rule is about: all, or those whose argument `field` is exactly one of `values`. */
type CallRule = true | { readonly field: string; readonly values: readonly string[] };

/** What the user says of one tool; every field may be missing. */
interface ToolEntry {
  readonly poll?: CallRule;
  readonly send?: CallRule;
  /** Fields of a result's `details`, at every depth, that change without meaning anything. */
  readonly volatile?: readonly string[];
  /** Compare results by `details` alone. */
  readonly ignoreText?: boolean;
}

/** The user's own tool profiles, over the shipped ones. Names are in lower case. */
interface ProfilesTable {
  readonly version: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly tools?: Readonly<Record<string, ToolEntry>>;
}

/** A policy: OpenClaw's own keys as they are, and the `loopwarden` object. Other keys are not looked at. */
export interface PolicyDocument {
  readonly tools?: { readonly loopDetection?: LoopDetectionBlock };
  readonly agents?: {
    readonly list?: readonly {
      readonly id: string;
      readonly tools?: { readonly loopDetection?: LoopDetectionBlock };
    }[];
  };
  readonly loopwarden?: {
    readonly profiles?: ProfilesTable;
    /** Milliseconds, or a number and a unit: "90s", "30m", "24h", "1d". */
    readonly idle?: string | number;
    readonly enforce?: boolean;
  };
}

/** Characters of a policy as JSON text: one copy must fit into a record of every partition. */
export const MAX_POLICY_LENGTH = 262_144;
export const MAX_AGENTS = 5_000;
