import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { appendingPromises } from './appending.ts';
import { consumingPromises } from './consuming.ts';
import { type ContractDriver, Trial } from './driver.ts';
import { provisioningPromises } from './provisioning.ts';
import { readingPromises } from './reading.ts';
import { sharingPromises } from './sharing.ts';

export type { ContractDriver } from './driver.ts';

/**
 * The promises of `Log`, as a suite that any driver runs. `makeDriver` is called once; every promise uses
 * topics and groups of its own, so that the driver may be a broker that others use too.
 */
export function describeLogContract(name: string, makeDriver: () => Promise<ContractDriver>): void {
  describe(`the log contract: ${name}`, () => {
    let made: Trial | undefined;
    const trial = (): Trial => {
      if (made === undefined) throw new Error('The driver is not ready.');
      return made;
    };
    beforeAll(async () => {
      made = new Trial(await makeDriver());
    });
    afterEach(() => made?.closeLogs());
    afterAll(() => made?.driver.close());

    appendingPromises(trial);
    readingPromises(trial);
    consumingPromises(trial);
    sharingPromises(trial);
    provisioningPromises(trial);
  });
}
