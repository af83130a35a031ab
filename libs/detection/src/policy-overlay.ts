import { isPlainObject, type PlainObject } from './plain-object.ts';

/** How agents are told apart: without blanks around the id, in lower case. */
export function agentKey(id: string): string {
  return id.trim().toLowerCase();
}

/** The global block as it stands; undefined: there is none. */
export function globalBlock(document: unknown): PlainObject | undefined {
  return asObject(asObject(asObject(document)?.tools)?.loopDetection);
}

/** The agents that have a block of their own, by `agentKey`. Of entries with one id the first counts. */
export function agentBlocks(document: unknown): ReadonlyMap<string, PlainObject> {
  const list = asObject(asObject(document)?.agents)?.list;
  const entries = new Map<string, PlainObject>();
  for (const entry of Array.isArray(list) ? list : []) {
    if (!isPlainObject(entry) || typeof entry.id !== 'string') continue;
    const key = agentKey(entry.id);
    if (!entries.has(key)) entries.set(key, entry);
  }
  const blocks = new Map<string, PlainObject>();
  for (const [key, entry] of entries) {
    const block = asObject(asObject(entry.tools)?.loopDetection);
    if (block !== undefined) blocks.set(key, block);
  }
  return blocks;
}

/** An agent's block over the global one: field by field, `detectors` and `postCompactionGuard` one level down. */
export function overlay(global: PlainObject | undefined, agent: PlainObject | undefined): PlainObject {
  const merged = { ...global, ...agent };
  for (const nested of ['detectors', 'postCompactionGuard']) {
    const below = asObject(global?.[nested]);
    const above = asObject(agent?.[nested]);
    if (below !== undefined && above !== undefined) merged[nested] = { ...below, ...above };
  }
  return merged;
}

function asObject(value: unknown): PlainObject | undefined {
  return isPlainObject(value) ? value : undefined;
}
