import { expect, it, onTestFinished } from 'vitest';
import { judgedOn } from '../testing/judged-log.ts';
import { temporaryLog } from '../testing/temporary-log.ts';
import { warnWithoutPolicy } from './warn-without-policy.ts';

it('that no policy was ever applied is said; once there is one, nothing is', async () => {
  const log = await temporaryLog(onTestFinished);
  const said: string[] = [];
  const logger = { warn: (message: string) => void said.push(message) };
  const { opened, config } = log;
  await warnWithoutPolicy(opened, { config, logger });
  expect(said).toEqual([expect.stringContaining('detectors are off')]);
  await judgedOn(log);
  await warnWithoutPolicy(opened, { config, logger });
  expect(said).toHaveLength(1);
});
