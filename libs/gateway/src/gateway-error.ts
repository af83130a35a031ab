/** What a user of the gateway can do wrong: a stable code and a sentence that says what to do. */
export type GatewayErrorCode =
  /** An option has a value that it cannot have. */
  | 'bad_option'
  /** The run id is blank, too long or not valid UTF-8, or who the run is has the wrong type. */
  | 'bad_run'
  /** A guarded call has nothing to run. */
  | 'bad_call'
  /** There is no embedded log where one was to be opened. */
  | 'no_log'
  /** The topics of the log do not fit together. */
  | 'bad_topics'
  /** The gateway was closed. */
  | 'closed';

export class GatewayError extends Error {
  readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, message: string) {
    super(message);
    this.name = 'GatewayError';
    this.code = code;
  }
}

/** The reason of a run's aborted signal. */
export class RunAborted extends Error {
  /** The abort verdict, as `run/epoch.sequence`. */
  readonly verdict: string;

  constructor(verdict: string, message: string) {
    super(message);
    this.name = 'AbortError';
    this.verdict = verdict;
  }
}
