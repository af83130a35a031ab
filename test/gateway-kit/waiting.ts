import { SMALL } from '../given.ts';
import { Recorder } from './recorder.ts';
import { loop, type Story } from './story.ts';

const STRICT = { deadlineMs: 200, onDeadline: 'open' } as const;

/** What a gateway does when it must wait, and when nobody speaks or nothing is to be enforced. */
export const WAITING: readonly Story[] = [
  [
    'strict-marks',
    'A strict decision waits for a mark at or above the last event of the run; one without progress does not count.',
    async () => {
      const recorder = new Recorder({ gateway: { strict: STRICT } });
      await recorder.serve();
      await recorder.call('c1', 'waits');
      await recorder.mark(-1);
      recorder.answered('c1', 'waits');
      await recorder.judged();
      recorder.answered('c1', 'allow');
      await recorder.call('c2', 'waits');
      await recorder.call('c3', 'waits');
      await recorder.judged();
      recorder.answered('c2', 'allow');
      recorder.answered('c3', 'waits');
      await recorder.judged();
      recorder.answered('c3', 'allow');
      return recorder;
    },
  ],
  ...(['open', 'closed'] as const).map(
    (onDeadline): Story => [
      `no-verdict-in-time-${onDeadline}`,
      onDeadline === 'open'
        ? 'When the deadline passes, a gateway that is told to stay open decides by what it knows.'
        : 'When the deadline passes, a gateway that is told to close refuses, by a veto that names no verdict.',
      async () => {
        const recorder = new Recorder({ gateway: { strict: { ...STRICT, onDeadline } } });
        await recorder.serve();
        await recorder.call('c1', 'waits');
        await recorder.pass(199);
        recorder.answered('c1', 'waits');
        await recorder.pass(1);
        recorder.answered('c1', onDeadline === 'open' ? 'allow' : 'block');
        return recorder;
      },
    ],
  ),
  [
    'stale',
    'Verdicts of detectors that are silent for a minute are not enforced, which the call says; a mark makes them good.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.pass(59_999);
      await recorder.call('c6', 'block');
      await recorder.pass(1);
      await recorder.call('c7', 'allow');
      await recorder.mark(-1);
      await recorder.call('c8', 'block');
      return recorder;
    },
  ],
  [
    'stale-closed',
    'A gateway that is told to goes on enforcing verdicts of detectors that are silent.',
    async () => {
      const recorder = new Recorder({ gateway: { onStale: 'closed' } });
      await loop(recorder);
      await recorder.pass(600_000);
      await recorder.call('c6', 'block');
      return recorder;
    },
  ],
  [
    'enforcement-off',
    'The policy switches all enforcement off and on again, without any detector; spared calls name the verdict.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.policy({ ...SMALL, loopwarden: { ...SMALL.loopwarden, enforce: false } });
      await recorder.call('c6', 'allow');
      await recorder.policy(SMALL);
      await recorder.call('c7', 'block');
      return recorder;
    },
  ],
  [
    'unstoppable',
    'A call that the host cannot refuse runs, and names the verdict that refuses it.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      await recorder.call('c6', 'allow', { unstoppable: true });
      return recorder;
    },
  ],
  [
    'unfounded-veto',
    'What a gateway holds by mistake lasts for one refused call.',
    async () => {
      const recorder = new Recorder();
      await loop(recorder);
      recorder.release();
      recorder.lost();
      await recorder.turn('c6', 'block');
      await recorder.judged();
      await recorder.call('c7', 'allow');
      return recorder;
    },
  ],
  [
    'idle',
    'A minute before detectors forget a silent run a gateway does, and begins it anew.',
    async () => {
      const recorder = new Recorder({ gateway: { onStale: 'closed' } });
      await loop(recorder);
      await recorder.pass(2 * 3_600_000 - 60_001);
      await recorder.call('c6', 'block');
      await recorder.pass(2 * 3_600_000 - 60_000);
      await recorder.serve();
      await recorder.call('c7', 'allow');
      return recorder;
    },
  ],
];
