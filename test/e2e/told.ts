import type { Stage } from './stage.ts';

const COUNTS = ['warnings', 'vetoes', 'aborts', 'late', 'refusals', 'disobeyed', 'lost'] as const;
type Count = (typeof COUNTS)[number];

/** What operators are told of a fleet's gateways, all of them together. */
export type Told = Readonly<Record<Count | 'gateways', number>>;

export async function toldByCommand(stage: Stage): Promise<Told> {
  const lines = (await stage.command('gateways', '--json')).trim().split('\n');
  const accounts = lines.map((line) => JSON.parse(line) as Record<Count, number>);
  const sums = COUNTS.map(
    (count) => [count, accounts.reduce((sum, account) => sum + account[count], 0)] as const,
  );
  return { gateways: accounts.length, ...(Object.fromEntries(sums) as Record<Count, number>) };
}
