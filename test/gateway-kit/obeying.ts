import { SMALL } from '../given.ts';
import { Recorder } from './recorder.ts';
import { loop, type Story } from './story.ts';

/** What a gateway does with verdicts that reach it in order. */
export const OBEYING: readonly Story[] = [
  [
    'warn-once',
    'A warning goes to the model once, and the call that it goes with names it.',
    async () => {
      const recorder = new Recorder();
      await recorder.serve();
      for (const callId of ['c1', 'c2', 'c3']) await recorder.turn(callId, 'allow');
      await recorder.call('c4', 'warn');
      await recorder.call('c5', 'allow');
      return recorder;
    },
  ],
  [
    'block-until-released',
    'A call is refused until its block is released, and each refusal is told as a veto that names the verdict.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.turn('c6', 'block');
      await recorder.call('c7', 'block');
      recorder.release();
      await recorder.judged();
      await recorder.call('c8', 'allow');
      return recorder;
    },
  ],
  [
    'supersede',
    'A verdict that replaces another takes its place, and the newest is the one that a veto names.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.call('c6', 'block');
      await recorder.call('late', 'allow', { unstoppable: true });
      await recorder.result('late');
      await recorder.judged();
      await recorder.call('c7', 'block');
      return recorder;
    },
  ],
  [
    'abort-until-the-end',
    'An abort refuses every call and aborts the signal; the end of the run names it, and the run begins anew.',
    async () => {
      const recorder = new Recorder();
      await recorder.serve();
      await recorder.turn('c1', 'allow');
      await recorder.compacted();
      await recorder.turn('c2', 'allow');
      await recorder.turn('c3', 'allow');
      await recorder.call('c4', 'abort', { tool: 'other' });
      await recorder.end('aborted');
      await recorder.judged();
      await recorder.turn('c5', 'allow', 'other');
      return recorder;
    },
  ],
  [
    'abort-released',
    'An operator lifts an abort: calls run again, and the run has a signal that is not aborted.',
    async () => {
      const recorder = new Recorder();
      await recorder.serve();
      await recorder.turn('c1', 'allow');
      await recorder.compacted();
      await recorder.turn('c2', 'allow');
      await recorder.turn('c3', 'allow');
      recorder.release();
      await recorder.judged();
      await recorder.call('c4', 'allow');
      return recorder;
    },
  ],
  [
    'shadow',
    'A shadow verdict refuses nothing; the call that it would have refused names it.',
    async () => {
      const observe = { ...SMALL.tools?.loopDetection, observe: true };
      const recorder = new Recorder({ policy: { ...SMALL, tools: { loopDetection: observe } } });
      await recorder.serve();
      for (const callId of ['c1', 'c2', 'c3', 'c4', 'c5']) await recorder.turn(callId, 'allow');
      await recorder.call('c6', 'allow');
      return recorder;
    },
  ],
];
