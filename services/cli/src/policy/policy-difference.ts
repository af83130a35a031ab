import { isDeepStrictEqual } from 'node:util';
import { type Explained, explainPolicy } from '@loopwarden/detection';
import { at, type JsonObject } from '../json-value.ts';
import { agentsNamed } from './policy-part.ts';

type Value = Explained['value'];

interface SettingChange {
  readonly setting: string;
  readonly from: Value;
  readonly to: Value;
}

/** Whom the same changes befall. */
interface ChangeGroup {
  /** Agents by id; null: all that the policy does not name. */
  readonly agents: readonly (string | null)[];
  readonly changes: readonly SettingChange[];
}

export interface PolicyDifference {
  /** What changes for all: idle horizon, enforcement, profiles. */
  readonly fleet: readonly SettingChange[];
  /** The table of tool profiles is another one: running streaks of its tools begin anew. */
  readonly profiles: boolean;
  /** What changes for agents; those that nothing changes for are left out. */
  readonly groups: readonly ChangeGroup[];
}

/** What a new policy changes of what is in force: values as they come out, not as they are written. */
export function policyDifference(before: JsonObject, after: JsonObject): PolicyDifference {
  const named = new Set([...agentsNamed(before), ...agentsNamed(after)]);
  const groups = new Map<string, { agents: (string | null)[]; changes: readonly SettingChange[] }>();
  for (const agent of [null, ...[...named].sort()]) {
    const changes = changesFor(agent, before, after).filter(({ setting }) => !isFleetWide(setting));
    if (changes.length === 0) continue;
    const key = JSON.stringify(changes);
    const group = groups.get(key) ?? { agents: [], changes };
    group.agents.push(agent);
    groups.set(key, group);
  }
  const profilesOf = (document: JsonObject): unknown => at(document.loopwarden, 'profiles');
  return {
    fleet: changesFor(null, before, after).filter(({ setting }) => isFleetWide(setting)),
    profiles: !isDeepStrictEqual(profilesOf(before), profilesOf(after)),
    groups: [...groups.values()],
  };
}

/** Whether anything would be judged, enforced or digested otherwise. */
export function changesNothing({ fleet, profiles, groups }: PolicyDifference): boolean {
  return fleet.length === 0 && groups.length === 0 && !profiles;
}

function changesFor(agent: string | null, before: JsonObject, after: JsonObject): SettingChange[] {
  const old = new Map(explainPolicy(before, agent).map(({ setting, value }) => [setting, value]));
  return explainPolicy(after, agent).flatMap(({ setting, value: to }) => {
    const from = old.get(setting) ?? null;
    return from === to ? [] : [{ setting, from, to }];
  });
}

function isFleetWide(setting: string): boolean {
  return setting.startsWith('loopwarden.');
}
