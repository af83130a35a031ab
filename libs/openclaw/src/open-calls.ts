import type { HostedRun } from './hosted-run.ts';

/** A call between its first hook and its last. */
interface OpenCall {
  readonly run: HostedRun;
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  /** `told`: its result is told, or was when it was refused. */
  state: 'running' | 'told';
  /** What the model is to be given with the result. */
  warning: string | null;
}

/** Calls whose last hook never comes must not fill the memory. */
const MAX_OPEN = 10_000;

/** The calls in flight. The result of a call names no run, so it is found by call id, and runs may share those. */
export class OpenCalls {
  readonly #byId = new Map<string, OpenCall[]>();
  #size = 0;

  add(call: OpenCall): void {
    const same = this.#byId.get(call.callId);
    if (same === undefined) this.#byId.set(call.callId, [call]);
    else same.push(call);
    this.#size += 1;
    if (this.#size > MAX_OPEN) this.#dropOldest();
  }

  /** The call that a result belongs to: of several with the id, the one of the same tool and arguments. */
  running(callId: string, tool: string, args: unknown): OpenCall | undefined {
    const running = (this.#byId.get(callId) ?? []).filter(({ state }) => state === 'running');
    if (running.length < 2) return running[0];
    const ofTool = running.filter((call) => call.tool === tool);
    return ofTool.find((call) => isSame(call.args, args)) ?? ofTool[0] ?? running[0];
  }

  /** Takes a call of a run out: nothing more is expected of it. */
  take(runId: string, callId: string): OpenCall | undefined {
    const same = this.#byId.get(callId) ?? [];
    const at = same.findIndex(({ run }) => run.runId === runId);
    const [call] = at < 0 ? [] : same.splice(at, 1);
    if (call === undefined) return undefined;
    this.#size -= 1;
    if (same.length === 0) this.#byId.delete(callId);
    return call;
  }

  #dropOldest(): void {
    for (const [callId, calls] of this.#byId) {
      this.#size -= calls.length;
      this.#byId.delete(callId);
      return;
    }
  }
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
