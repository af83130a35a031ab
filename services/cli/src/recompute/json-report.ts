import { type Verdict, verdictId } from '@loopwarden/detection';
import { jsonText } from '../terminal/json-text.ts';
import type { Output } from '../terminal/output.ts';
import { timeText } from '../terminal/time-text.ts';
import { differingFields } from './differing-fields.ts';
import type { FirstRefusal } from './policy-change.ts';
import type { Finding, ReplayListener } from './replay-listener.ts';
import type { Tally } from './tally.ts';
import { addFinding, openTotals } from './totals.ts';

/** A replay of the log for programs: one object a line, `summary` last. */
export class JsonReport implements ReplayListener {
  readonly totals = openTotals();
  readonly #write: (line: object) => void;

  constructor({ out }: Output) {
    this.#write = (line) => out(jsonText(line));
  }

  found: ReplayListener['found'] = (finding) => {
    addFinding(this.totals, finding);
    this.#write(findingJson(finding));
  };

  other: ReplayListener['other'] = (verdict, event) => {
    this.#write({ type: 'other_verdict', ...verdictJson(verdict), event });
  };

  changed: ReplayListener['changed'] = ({ runId, change, recorded, other, refused }) => {
    this.totals.changes[change] += 1;
    const sides = { recorded: refusalJson(recorded), other: refusalJson(other) };
    this.#write({ type: 'change', runId, change, ...sides, refused });
  };

  revived: ReplayListener['revived'] = ({ partition, offset, ...revived }) => {
    this.totals.revived += 1;
    this.#write({ type: 'readable_now', event: { partition, offset }, ...revived });
  };

  close(tally: Tally, { whatIf }: { readonly whatIf: boolean }): void {
    const { changes, ...totals } = this.totals;
    this.#write({ type: 'summary', ...totals, ...(whatIf ? { changes } : {}), ...tally });
  }
}

function findingJson({ state, recomputed, published, partition, partial, renewed }: Finding): object {
  const { verdict, offset } = recomputed ?? published;
  const place =
    published === null
      ? null
      : { partition, offset: published.position, at: timeText(published.publishedAt) };
  const both = recomputed !== null && published !== null;
  return {
    type: 'verdict',
    state,
    ...verdictJson(verdict),
    event: { partition, offset },
    published: place,
    partial,
    renewed,
    differences: both ? differingFields(published.verdict, recomputed.verdict) : [],
  };
}

/** What a verdict says: the fields of the control topic, its id before them and its time as text. */
export function verdictJson(verdict: Verdict): object {
  return { id: verdictId(verdict), ...verdict, at: timeText(verdict.at) };
}

function refusalJson(refusal: FirstRefusal | null): object | null {
  if (refusal === null) return null;
  const { verdict, offset } = refusal;
  return { id: verdictId(verdict), at: timeText(verdict.at), offset, detector: verdict.detector };
}
