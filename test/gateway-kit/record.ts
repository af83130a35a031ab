import { writeFileSync } from 'node:fs';
import { fileOf, textOf } from './scenario-files.ts';
import { recordAll } from './stories.ts';

// Writes the scenarios anew, after a change of detection or of the wire contract: node test/gateway-kit/record.ts

for (const scenario of await recordAll()) writeFileSync(fileOf(scenario.name), textOf(scenario));
