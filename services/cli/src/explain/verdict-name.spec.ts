import { verdictId } from '@loopwarden/detection';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readVerdictName } from './verdict-name.ts';

it('every id of a verdict is read back, whatever the run is called', () => {
  const runId = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');
  fc.assert(
    fc.property(runId, fc.nat(), fc.integer({ min: 1, max: 2_147_483_647 }), (run, epoch, sequence) => {
      const name = { runId: run, epoch, sequence };
      expect(readVerdictName(verdictId(name))).toEqual({ ok: true, value: name });
    }),
  );
});

it.each(['run', 'run/1', '/1.2', 'run/1.0', 'run/x.1', ' /1.2'])('%j is none', (text) => {
  expect(readVerdictName(text)).toMatchObject({ ok: false, error: { code: 'bad_verdict' } });
});
