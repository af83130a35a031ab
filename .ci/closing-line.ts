import { readFileSync } from 'node:fs';

// Closing-line REPORT [FAILED_STEP…]: the last line of a build, `N passed, N failed`, out of the report of
// the tests; exits with 1 when anything failed. A step that failed (lint, typecheck) counts as one failure.

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const [path = '', ...failedSteps] = process.argv.slice(2);
const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
const having = (...statuses: string[]) => tests.filter(({ status }) => statuses.includes(status));

const passed = having('passed').length;
// A file that broke before its first test has no test that could have failed.
const broken = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
);
// With every tier's means at hand nothing has an excuse to be left out.
const leftOut = process.env.LOOPWARDEN_REQUIRE_BROKER === '1' ? having('skipped', 'pending', 'todo') : [];
const failed = having('failed').length + broken.length + leftOut.length + failedSteps.length;
// A success that fails as a whole (an unhandled rejection) must not end in "0 failed".
const failures = failed === 0 && !report.success ? 1 : failed;

for (const { name } of broken) console.log(`failed before its first test: ${name}`);
for (const { fullName } of leftOut) console.log(`left out, though this build has what it needs: ${fullName}`);
for (const step of failedSteps) console.log(`failed: ${step}`);
console.log(`${passed} passed, ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
