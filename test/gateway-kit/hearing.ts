import { Recorder } from './recorder.ts';
import { loop, type Story } from './story.ts';

/** What a gateway makes of a control topic in which not all is in order. */
export const HEARING: readonly Story[] = [
  [
    'duplicates',
    'A verdict that comes again changes nothing, also after it was released.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      recorder.release();
      await recorder.judged();
      await recorder.hear(recorder.again(() => true));
      await recorder.call('c6', 'allow');
      return recorder;
    },
  ],
  [
    'zombie',
    'A verdict of a detector that was replaced is ignored.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.pass(1_000);
      await recorder.renewed();
      await recorder.call('c6', 'block');
      recorder.release();
      await recorder.judged();
      await recorder.hear(recorder.again(({ action }) => action === 'block', 0));
      await recorder.call('c7', 'allow');
      return recorder;
    },
  ],
  [
    'new-lineage',
    'The first mark with progress of a new lineage ends what older ones left; a mark without progress ends nothing.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.pass(1_000);
      recorder.takenOver();
      await recorder.mark(-1);
      await recorder.call('c6', 'block');
      await recorder.mark(0);
      await recorder.call('c7', 'allow');
      return recorder;
    },
  ],
  [
    'new-epoch',
    'A new life of a run begins with Attach and owes nothing to the old one, whose verdicts are ignored.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.end('completed');
      await recorder.pass(5);
      await recorder.judged();
      for (const callId of ['d1', 'd2', 'd3']) await recorder.turn(callId, 'allow');
      await recorder.hear(recorder.again(({ action }) => action === 'block'));
      await recorder.turn('d4', 'warn');
      return recorder;
    },
  ],
  [
    'joins-late',
    'A gateway that begins to serve a run is told what stands, and obeys it without having read the past.',
    async () => {
      const recorder = new Recorder();
      await recorder.serve();
      for (const callId of ['c1', 'c2', 'c3', 'c4', 'c5']) {
        await recorder.call(callId, 'allow');
        await recorder.result(callId);
      }
      recorder.lost();
      await recorder.serve();
      await recorder.call('d1', 'allow', { tool: 'other' });
      await recorder.judged();
      await recorder.call('d2', 'block');
      return recorder;
    },
  ],
  [
    'gap',
    'A gateway that sees that it missed verdicts asks for what stands, at once.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.turn('other', 'allow', 'other');
      for (const callId of ['c6', 'c7']) await recorder.call(callId, 'block');
      recorder.release();
      recorder.lost();
      for (const callId of ['c8', 'c9']) await recorder.call(callId, 'block');
      await recorder.judged();
      await recorder.judged();
      await recorder.call('c10', 'allow');
      return recorder;
    },
  ],
];
