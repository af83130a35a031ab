import type { Policy } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import type { Judged } from './fold.ts';
import { PolicyChange } from './policy-change.ts';
import type { ReplayListener } from './replay-listener.ts';
import { SecondPolicy } from './second-policy.ts';

interface WhatIfOptions {
  readonly policy: Policy;
  readonly maxRuns: number;
  /** First offset that is looked at; what comes before only warms up. */
  readonly first: number;
}

/** The events of one partition under a second policy, beside what they led to then. */
export class WhatIf {
  readonly #second: SecondPolicy;
  readonly #change: PolicyChange;
  readonly #listener: ReplayListener;
  readonly #first: number;

  constructor(listener: ReplayListener, { policy, maxRuns, first }: WhatIfOptions) {
    this.#listener = listener;
    this.#first = first;
    this.#second = new SecondPolicy({ policy, maxRuns });
    this.#change = new PolicyChange(listener.changed, { first });
  }

  take({ event, judgement }: Judged, { partition, offset, timestamp }: InRecord): void {
    const verdicts = this.#second.take(event, timestamp);
    this.#change.take('recorded', judgement.verdicts, offset);
    this.#change.take('other', verdicts, offset);
    if (event.type === 'tool_result' && event.outcome === 'vetoed') this.#change.refused(event.runId);
    if (offset < this.#first) return;
    for (const verdict of verdicts) this.#listener.other(verdict, { partition, offset });
  }

  finish(): void {
    this.#change.finish();
  }
}
