import { at, isObject, type JsonObject, objectsAt, stringAt } from '../json-value.ts';

/**
 * What of a whole configuration is policy: the loop detection blocks and the `loopwarden` object. The rest,
 * secrets among it, must not enter the log.
 */
export function policyPart(document: JsonObject): JsonObject {
  const block = at(document.tools, 'loopDetection');
  const agents = agentsWithBlock(document);
  return {
    ...(block === undefined ? {} : { tools: { loopDetection: block } }),
    ...(agents.length === 0 ? {} : { agents: { list: agents } }),
    ...(isObject(document.loopwarden) ? { loopwarden: document.loopwarden } : {}),
  };
}

/** Agents as a policy tells them apart: without blanks around the id, in lower case. */
export function agentsNamed(document: JsonObject): readonly string[] {
  return agentsWithBlock(document).map(({ id }) => id.trim().toLowerCase());
}

/** Of entries with one id the first counts, also where it has no block. */
function agentsWithBlock({ agents }: JsonObject): readonly { id: string; tools: JsonObject }[] {
  const seen = new Set<string>();
  return objectsAt(agents, 'list').flatMap((entry) => {
    const id = stringAt(entry, 'id');
    const key = id?.trim().toLowerCase();
    if (id === null || key === undefined || seen.has(key)) return [];
    seen.add(key);
    const block = at(entry.tools, 'loopDetection');
    return block === undefined ? [] : [{ id, tools: { loopDetection: block } }];
  });
}
