import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from './machine.ts';
import type { Bench, Measure } from './measure.ts';
import { table } from './table.ts';

// Bench [NAME…] [--json]: runs the benches of those names, or all, one after the other.

const SUFFIX = '.bench.ts';
const here = new URL('.', import.meta.url);

const { values, positionals: names } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const available = readdirSync(here)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();
const unknown = names.filter((name) => !available.includes(name));

if (unknown.length > 0) {
  console.error(`No bench is called ${unknown.join(', ')}. There are: ${available.join(', ') || 'none'}.`);
  process.exitCode = 2;
} else {
  await runAll(names.length > 0 ? names : available);
}

async function runAll(chosen: readonly string[]): Promise<void> {
  if (!values.json) console.log(`${describeMachine()}\n`);
  const measures: Measure[] = [];
  for (const name of chosen) {
    const { bench } = (await import(new URL(name + SUFFIX, here).href)) as { bench: Bench };
    for await (const measure of bench()) {
      if (values.json) console.log(JSON.stringify(measure));
      else progress(measure.name);
      measures.push(measure);
    }
  }
  progress('');
  if (!values.json) console.log(table(measures));
}

/** One line that says how far it is, where someone is watching. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
