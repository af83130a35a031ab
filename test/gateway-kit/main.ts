import { play } from './play.ts';
import { ProcessAdapter } from './process-adapter.ts';
import { readScenarios } from './scenario-files.ts';

// Plays the kit to a gateway in any language: node test/gateway-kit/main.ts PROGRAM [ARGUMENT…]
// Exit status: 0 it does all that it must; 1 it does not; 2 no program was named.

const command = process.argv.slice(2);
if (command.length === 0) {
  console.error('Name the program that plays a gateway: node test/gateway-kit/main.ts PROGRAM [ARGUMENT…]');
  process.exit(2);
}
for (const scenario of readScenarios()) {
  const faults = await play(scenario, new ProcessAdapter(command)).catch((error: Error) => [error.message]);
  console.log(`${faults.length === 0 ? 'ok    ' : 'FAILED'}  ${scenario.name}: ${scenario.promise}`);
  for (const fault of faults) console.log(`          ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
