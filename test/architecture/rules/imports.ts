import { posix } from 'node:path';
import {
  type Allowance,
  DRIVER_CLIENTS,
  DRIVERS,
  IMPORT_TABLE,
  SUITES,
  TEST_TOOLS,
} from '../import-table.ts';
import type { Module } from '../module.ts';
import { resolve, type Target } from '../resolve.ts';
import { isHeavySpec, isOutside, isSpec, type Package, packageAt, type Rule, type Tree } from '../tree.ts';

/** One import under judgement. */
interface Question {
  readonly module: Module;
  readonly home: Package;
  readonly allowed: Allowance;
}

export const importTable: Rule = {
  promise: 'each package imports what the import table grants it',
  check: (tree) =>
    tree.modules.flatMap((module) => {
      const home = packageAt(tree, module.path);
      if (home === undefined) return [];
      const allowed = IMPORT_TABLE[home.dir];
      if (allowed === undefined)
        return [{ file: module.path, sentence: 'its package is not in the import table' }];
      return sentences(tree, module, (target) => refusal({ module, home, allowed }, target));
    }),
};

export const ownGround: Rule = {
  promise: 'a relative path stays in its package, or leads a spec to test/; it never points at a spec',
  check: (tree) =>
    tree.modules.flatMap((module) =>
      sentences(tree, module, (target) => {
        if (target.kind !== 'file') return null;
        if (isSpec(target.path))
          return `imports the spec ${target.path}; move what is shared to a file of its own`;
        if (mayReach(tree, module.path, target.path)) return null;
        return `reaches into ${target.path} by path; import the package by its name`;
      }),
    ),
};

export const driversAtTheRoot: Rule = {
  promise: 'only composition roots and tests know a driver of the log',
  check: (tree) =>
    tree.modules.flatMap((module) =>
      sentences(tree, module, (target) => {
        if (target.kind !== 'entry' || target.package.dir !== 'libs/stream') return null;
        if (!DRIVERS.includes(target.subpath) || mayKnowDriver(module.path, target.subpath)) return null;
        return `imports the driver ${target.subpath.slice(2)}; take a Log as a parameter and choose the driver in main.ts`;
      }),
    ),
};

function sentences(tree: Tree, module: Module, judge: (target: Target) => string | null) {
  return module.imports.flatMap(({ specifier }) => {
    const sentence = judge(resolve(tree, module.path, specifier));
    return sentence === null ? [] : [{ file: module.path, sentence }];
  });
}

function refusal(question: Question, target: Target): string | null {
  if (target.kind === 'npm') return refusedNpm(question, target.name);
  if (target.kind === 'entry') return refusedPackage(question, target);
  if (target.kind === 'file' || isSpec(question.module.path)) return null;
  const { node } = question.allowed;
  if (node === 'any' || node.includes(target.name)) return null;
  return `imports node:${target.name}; the import table grants ${listed(node)}`;
}

function refusedNpm({ module, home, allowed }: Question, name: string): string | null {
  const { path } = module;
  if (TEST_TOOLS.includes(name) && (isSpec(path) || SUITES.some((suite) => path.startsWith(suite))))
    return null;
  if (home.dependencies[name] === undefined) return `imports ${name}, which its package.json does not list`;
  for (const [driver, clients] of Object.entries(DRIVER_CLIENTS)) {
    if (clients.includes(name))
      return path.startsWith(driver) ? null : `imports ${name}, which belongs to ${driver}`;
  }
  if (!allowed.npm.includes(name)) return `imports ${name}; the import table grants ${listed(allowed.npm)}`;
  if (name === 'rxjs' && !mayStream(path))
    return 'imports rxjs; operators live in libs/stream, wiring in topology.ts';
  return null;
}

function refusedPackage({ home, allowed }: Question, target: Target & { kind: 'entry' }): string | null {
  const { name, dir } = target.package;
  if (target.path === null)
    return `imports ${target.subpath} of ${name}, which is no entry of its package.json`;
  if (name === home.name) return `imports its own package ${name}; use a relative path`;
  const service =
    dir.startsWith('services/') && target.subpath === '.' && allowed.packages.includes('services');
  if (!service && !allowed.packages.includes(name)) {
    return `imports ${name}; the import table grants ${listed(allowed.packages)}`;
  }
  return home.dependencies[name] === undefined
    ? `imports ${name}, which its package.json does not list`
    : null;
}

function mayReach(tree: Tree, from: string, to: string): boolean {
  const there = packageAt(tree, to);
  if (there !== undefined || !isOutside(to)) return there !== undefined && there === packageAt(tree, from);
  return isOutside(from) || isSpec(from);
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '));

function mayStream(path: string): boolean {
  if (isSpec(path) || !path.startsWith('services/')) return true;
  return ['topology.ts', 'main.ts'].includes(posix.basename(path));
}

function mayKnowDriver(path: string, driver: string): boolean {
  if (isOutside(path) || isHeavySpec(path) || path.startsWith('services/cli/src/')) return true;
  if (isSpec(path)) return driver === './memory';
  if (isConnector(path)) return true;
  return path.startsWith('services/') && posix.basename(path) === 'main.ts';
}

/** Each of the gateway's connectors is an entry of its own: who embeds a gateway chooses one. */
const isConnector = (path: string): boolean => /^libs\/gateway\/src\/[^/]+\/index\.ts$/.test(path);
