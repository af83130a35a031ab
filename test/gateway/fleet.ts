import { hash } from 'node:crypto';
import {
  compilePolicy,
  decide,
  describeCall,
  describeOutcome,
  type GatewayEvent,
  handOut,
  hear,
  judge,
  openPartition,
  openStandings,
  type PolicyDocument,
} from '@loopwarden/detection';

/** What an agent does: tools, arguments and results in order. */
export interface Step {
  readonly tool: string;
  readonly args: unknown;
  readonly result: unknown;
}

export interface Script {
  readonly runId: string;
  readonly steps: readonly Step[];
}

export const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** How agents loop, and how they work. */
export const WAYS: Readonly<Record<string, (index: number) => Step>> = {
  honest: (index) => ({ tool: 'read', args: { path: `/${index}` }, result: index }),
  repeat: () => ({ tool: 'read', args: { path: '/a' }, result: 'same' }),
  pingPong: (index) => ({ tool: index % 2 === 0 ? 'list' : 'stat', args: {}, result: 'same' }),
  poll: () => ({
    tool: 'command_status',
    args: { id: 1 },
    result: { content: [], details: { status: 'running' } },
  }),
  slow: (index) => ({ tool: 'read', args: { path: `/${index >> 2}` }, result: 'same' }),
};

/**
 * What a gateway without any lag answers, call by call: each event is judged, and its verdicts are heard, before
 * anything else happens.
 */
export function answersWithoutLag(script: Script, document: PolicyDocument): string[] {
  const policy = compilePolicy(document);
  const partition = openPartition({ policy, revision: -1 });
  const standings = openStandings();
  const base = {
    runId: script.runId,
    agentId: null,
    sessionId: null,
    gatewayId: 'gw',
    source: 's',
    observedAt: 0,
  };
  let sequence = 0;
  const tell = (own: object): void => {
    sequence += 1;
    const { verdicts } = judge(partition, { ...base, ...own, sequence } as GatewayEvent, 1_000 + sequence);
    for (const verdict of verdicts) hear(standings, verdict, { partition: 0, lineage: 0 });
  };
  tell({ type: 'attach' });
  return script.steps.map(({ tool, args, result }, index) => {
    const identity = describeCall({ tool, args }, policy.profiles, sha256);
    const { action, verdict } = decide(standings, { runId: script.runId, ...identity });
    const common = {
      callId: `c${index}`,
      ...identity,
      profiles: 'p',
      keyId: null,
      payload: null,
      seen: null,
    };
    const came = { verdict: null, durationMs: null, missingTool: null, digest: null };
    if (action === 'block' || action === 'abort') {
      tell({ type: 'tool_result', ...common, ...came, outcome: 'vetoed', verdict });
      return action;
    }
    const delivered = verdict === null ? [] : [handOut(standings, verdict)];
    tell({ type: 'tool_call', ...common, delivered, despite: null });
    const outcome = describeOutcome({ tool, args, result }, policy.profiles, sha256);
    tell({ type: 'tool_result', ...common, ...came, ...outcome });
    return action;
  });
}
