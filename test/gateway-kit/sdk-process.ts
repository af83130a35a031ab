import { createInterface } from 'node:readline';
import type { Happening, Scenario } from './scenario.ts';
import { SdkAdapter } from './sdk-adapter.ts';

// Our own SDK as a gateway in a process: what an adapter for another language has to do, in thirty lines.

type Request = ({ readonly do: 'start' } & Pick<Scenario, 'gateway' | 'now' | 'policies'>) | Happening;

const adapter = new SdkAdapter();
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  const reaction = await (request.do === 'start' ? adapter.start(request) : adapter.happen(request));
  process.stdout.write(`${JSON.stringify(reaction)}\n`);
}
await adapter.stop();
