/** What one check says now; `detail` is a sentence for people. */
interface CheckResult {
  readonly ok: boolean;
  readonly detail: string;
}

/** Named checks. Cheap and synchronous: they read what the parts know of themselves. */
export type Checks = Readonly<Record<string, () => CheckResult>>;

export interface Health {
  readonly ok: boolean;
  readonly checks: readonly ({ readonly name: string } & CheckResult)[];
}

/** Runs all checks. One that throws is not ok, and the others are still heard. */
export function checkHealth(checks: Checks): Health {
  const results = Object.entries(checks).map(([name, check]) => ({ name, ...runCheck(check) }));
  return { ok: results.every(({ ok }) => ok), checks: results };
}

function runCheck(check: () => CheckResult): CheckResult {
  try {
    return check();
  } catch (error) {
    return { ok: false, detail: `The check itself failed: ${String(error)}` };
  }
}
