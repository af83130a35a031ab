import { idleMs, readPolicy } from './oracle/settings.ts';
import type { Deed, Scenario, Step, StepOf } from './scenario.ts';
import {
  append,
  attempt,
  close,
  nextNumber,
  openStage,
  type Played,
  resultOf,
  type Stage,
  send,
  veto,
} from './stage.ts';

/** Plays a scenario against the core and returns the log that came of it. */
export function play({ policy, steps }: Scenario): Played[] {
  const stage = openStage(policy);
  for (const step of steps) {
    const { pause } = step;
    stage.now += typeof pause === 'number' ? pause : idleMs(stage.document) + pause.horizon;
    perform(stage, step);
  }
  return stage.log;
}

type Acts = { readonly [D in Deed]: (stage: Stage, step: StepOf<D>) => void };

const ACTS: Acts = {
  loop,
  answer,
  call: (stage, step) => void attempt(stage, step, step),
  stray: (stage, step) => {
    const { call, callId, named } = step;
    const result = resultOf(call, step.answer);
    send(stage, step, { ...result, callId, args: named ? call.args : null });
  },
  again: (stage, { back, count }) => {
    for (const { event } of stage.log.slice(-1 - back).slice(0, count)) append(stage, event);
  },
  crowd: (stage, step) => {
    const result = { ...resultOf(step.call, step.answer), callId: null };
    for (let n = 0; n < step.count; n += 1) send(stage, { ...step, source: `g${n}` }, result);
  },
  lose: (stage, step) => void nextNumber(stage, step),
  compact: (stage, step) => send(stage, step, { type: 'compaction', retry: step.retry }),
  attach: (stage, step) => send(stage, step, { type: 'attach' }),
  end: (stage, step) => send(stage, step, { type: 'run_end', status: 'completed', verdict: null }),
  riddle: (stage, step) => send(stage, step, { type: 'unknown' }),
  lie: (stage, step) => {
    const { call, sequence } = step;
    const verdict = sequence === null ? null : { epoch: epochOf(stage, step) + step.epochs, sequence };
    veto(stage, step, { call, callId: null, verdict });
  },
  release: (stage, step) => {
    const epoch = step.epochs === null ? null : epochOf(stage, step) + step.epochs;
    const said = { match: step.match, epoch, actor: 'ops', reason: 'looked at it' };
    send(stage, { ...step, source: 'op', agent: null }, { type: 'release', ...said });
  },
  policy: applyPolicy,
  tweak: (stage, { patch }) => {
    const loopDetection = { ...stage.document.tools?.loopDetection, ...patch };
    const document = JSON.stringify({ ...stage.document, tools: { loopDetection } });
    applyPolicy(stage, { document, stale: false });
  },
};

function perform<D extends Deed>(stage: Stage, step: StepOf<D>): void {
  ACTS[step.do](stage, step);
}

const epochOf = (stage: Stage, { run }: Step): number => stage.partition.runs.get(run)?.epoch ?? stage.now;

function applyPolicy(stage: Stage, step: Pick<StepOf<'policy'>, 'document' | 'stale'>): void {
  const revision = step.stale ? stage.revision : stage.revision + 2;
  const document = readPolicy(step.document);
  if (revision > stage.revision && document !== null) Object.assign(stage, { document, revision });
  const base = { runId: '*', agentId: null, sessionId: null, gatewayId: 'operator', observedAt: 0 };
  const said = { source: 'policy', sequence: revision, revision, actor: 'ops', reason: 'tuning' };
  append(stage, { type: 'policy', ...base, ...said, policy: step.document });
}

function loop(stage: Stage, step: StepOf<'loop'>): void {
  if (step.compacts) send(stage, step, { type: 'compaction', retry: true });
  for (let turn = 0; turn < step.times * step.calls.length; turn += 1) {
    const call = step.calls[turn % step.calls.length];
    const given = step.answers[turn % step.answers.length];
    if (call === undefined || given === undefined) continue;
    stage.now += 1;
    const callId = `c${stage.log.length}`;
    const opened = attempt(stage, step, { call, callId, manner: step.manner });
    if (opened === null) continue;
    close(stage, step.run, opened);
    send(stage, step, { ...resultOf(call, given), callId });
  }
}

function answer(stage: Stage, step: StepOf<'answer'>): void {
  const opened = (stage.open.get(step.run) ?? [])[step.nth];
  if (opened === undefined) return;
  close(stage, step.run, opened);
  const whole = { ...resultOf(opened.call, step.answer), callId: opened.callId };
  const names = opened.callId === null ? 'both' : step.names;
  const left = { both: {}, args: { callId: null }, callId: { args: null } };
  send(stage, step, { ...whole, ...left[names] });
}
