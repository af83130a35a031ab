import { join } from 'node:path';
import { lineageTrials } from './lineage-trials.ts';

lineageTrials((folder) => ({
  kind: 'embedded',
  dir: join(folder, 'data'),
  prefix: 'trial.',
  takeoverMs: null,
}));
