import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Run } from '@loopwarden/gateway';
import { openKafka } from '@loopwarden/gateway/kafka';
import type { Deed, RunProgress } from './agent-run.ts';
import type { FromGateway, GatewayOrder, ServedRun, ToGateway } from './gateway-message.ts';
import { deedOf } from './ways.ts';

// A gateway with its agents, in a process of its own. The parent says which runs it serves.

/** A model that is refused so often gives up. */
const PATIENCE = 3;

const order = JSON.parse(process.argv[2] ?? '') as GatewayOrder;
const { brokers, idFile, prefix, gatewayId, strict } = order;
const log = await openKafka({ brokers, schemaIds: idFile, prefix, clientId: gatewayId });
const gateway = await connect({ log, gatewayId, prefix, ...(strict === null ? {} : { strict }) });
const living = new Set<Promise<void>>();
let leaving = false;

const say = (message: FromGateway): Promise<void> =>
  new Promise((resolve) => process.send?.(message, () => resolve()));

/** Plays a run until it ends, moves on, or the gateway leaves. */
async function live({ plan, progress: begun }: ServedRun): Promise<void> {
  const { runId } = plan;
  const run = gateway.run({ runId, agentId: plan.way, sessionId: null });
  let progress = begun;
  for (let deed = deedOf(plan, progress.deeds); deed !== null; deed = deedOf(plan, progress.deeds)) {
    if (leaving || (plan.moves.includes(attempts(progress)) && attempts(progress) > attempts(begun))) {
      await run.written();
      return say({ kind: 'left', run: { plan, progress }, why: leaving ? 'leave' : 'move' });
    }
    if (order.thinkMs > 0) await sleep(order.thinkMs * (0.5 + Math.random()));
    const { signal } = run;
    progress = await act(run, deed, progress);
    if (signal.aborted || progress.refusals === PATIENCE) {
      const end = signal.aborted ? 'aborted' : 'failed';
      run.end(end);
      return say({ kind: 'ended', ending: { ...progress, plan, end, signalled: signal.aborted } });
    }
  }
  run.end('completed');
  await say({ kind: 'ended', ending: { ...progress, plan, end: 'completed', signalled: false } });
}

function attempts({ calls, refusals }: RunProgress): number {
  return calls + refusals;
}

/** One deed. A refused one is tried again: these agents do not think. */
async function act(run: Run, deed: Deed, progress: RunProgress): Promise<RunProgress> {
  const deeds = progress.deeds + 1;
  if (deed.kind === 'compaction') {
    run.compacted();
    return { ...progress, deeds };
  }
  const { tool, args } = deed;
  const number = progress.calls + 1;
  const callId = `call-${number}-${progress.refusals}`;
  const answer = await run.beforeCall({ callId, tool, args });
  if (answer.action === 'block' || answer.action === 'abort') {
    run.afterCall({ callId, tool, args, result: answer.result });
    return {
      ...progress,
      refusedAt: progress.refusedAt ?? number,
      refusals: progress.refusals + 1,
    };
  }
  const { result, error } = deed;
  run.afterCall({ callId, tool, args, ...(error === undefined ? { result } : { error }) });
  const warnedAt = answer.action === 'warn' ? [...progress.warnedAt, number] : progress.warnedAt;
  return { ...progress, deeds, calls: number, warnedAt };
}

function serve(run: ServedRun): void {
  const life = live(run);
  living.add(life);
  void life.then(() => living.delete(life));
}

async function leave(): Promise<void> {
  leaving = true;
  await Promise.all(living);
  const stats = gateway.stats();
  await gateway.close();
  await say({ kind: 'gone', stats });
  process.exit(0);
}

process.on('message', (message: ToGateway) => {
  if (message.kind === 'serve') serve(message.run);
  else void leave();
});
process.on('disconnect', () => process.exit(1));
await say({ kind: 'ready' });
