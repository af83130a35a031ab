import { describeLogContract } from '../contract/index.ts';
import type { Log } from '../log.ts';
import { createMemoryLog } from './broker.ts';
import { testClock } from './test-clock.ts';

describeLogContract('memory', async () => {
  const broker = createMemoryLog({ clock: testClock() });
  const names = new Map<Log, string>();
  return {
    capabilities: { sharing: true },
    async connect() {
      const name = `process-${names.size}`;
      const log = broker.connect(name);
      names.set(log, name);
      return log;
    },
    async expel(log) {
      broker.expel(names.get(log) ?? '');
    },
    async close() {},
  };
});
