import type { Output } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { changesNothing, type PolicyDifference } from './policy-difference.ts';
import { settingText } from './setting-text.ts';

const AGENTS_SHOWN = 8;

/** What a policy changes, for people. */
export function differenceText(difference: PolicyDifference, { paint }: Output): readonly string[] {
  if (changesNothing(difference)) return ['Nothing changes for any agent.'];
  const { fleet, profiles, groups } = difference;
  const sections = groups.map(({ agents, changes }) => ({ title: agentsText(agents), changes }));
  if (fleet.length > 0) sections.push({ title: 'The whole fleet', changes: fleet });
  const lines = sections.flatMap(({ title, changes }) => {
    const width = Math.max(...changes.map(({ setting }) => setting.length));
    const rows = changes.map(({ setting, from, to }) => {
      const old = paint('dim', settingText(setting, from));
      return `  ${setting.padEnd(width)}  ${old} → ${paint('bold', settingText(setting, to))}`;
    });
    return [`${title}:`, ...rows];
  });
  return profiles ? [...lines, PROFILES] : lines;
}

const PROFILES =
  'The tool profiles change: gateways make digests by them from now on; running streaks begin anew.';

function agentsText(agents: readonly (string | null)[]): string {
  const named = agents.filter((agent) => agent !== null);
  const shown = named.slice(0, AGENTS_SHOWN).map((agent) => printable(agent, 32));
  const more = named.length > AGENTS_SHOWN ? [`${named.length - AGENTS_SHOWN} more`] : [];
  const everyone = agents.includes(null) ? ['Agents that the policy does not name'] : [];
  const list = [...everyone, ...shown, ...more].join(', ');
  return everyone.length > 0 ? list : `Agent${named.length === 1 ? '' : 's'} ${list}`;
}
