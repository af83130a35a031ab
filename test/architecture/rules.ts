import { listedAndUsed } from './rules/dependencies.ts';
import { driversAtTheRoot, importTable, ownGround } from './rules/imports.ts';
import { everySpecRuns, noAny, nothingLeftToFix } from './rules/leftovers.ts';
import { fileNames } from './rules/names.ts';
import { portable } from './rules/portable.ts';
import { pureCore } from './rules/purity.ts';
import { fileSizes, functionSizes, parameterCounts } from './rules/sizes.ts';
import { explicitNames, indexAtRoots, namedExports, noBarrels } from './rules/surface.ts';
import { noUnusedExports, noUnusedFiles } from './rules/unused.ts';
import type { Rule } from './tree.ts';

/** Every rule of the code base. A new rule is one line here and one planted breach in `rules.spec.ts`. */
export const RULES: readonly Rule[] = [
  importTable,
  ownGround,
  driversAtTheRoot,
  listedAndUsed,
  pureCore,
  fileSizes,
  functionSizes,
  parameterCounts,
  fileNames,
  indexAtRoots,
  noBarrels,
  explicitNames,
  namedExports,
  noAny,
  everySpecRuns,
  nothingLeftToFix,
  noUnusedFiles,
  noUnusedExports,
  portable,
];
