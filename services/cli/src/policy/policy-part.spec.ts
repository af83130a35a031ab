import { describe, expect, it } from 'vitest';
import { policyPart } from './policy-part.ts';

const block = { enabled: true };

describe('of a whole configuration', () => {
  it('only what is about loops is policy: secrets stay out of the log', () => {
    const configuration = {
      gateway: { token: 'hunter2' },
      tools: { loopDetection: block, web: { apiKey: 'hunter2' } },
      agents: {
        defaults: { model: 'm' },
        list: [{ id: 'coder', key: 'hunter2', tools: { loopDetection: block, exec: {} } }],
      },
      loopwarden: { enforce: false },
    };
    expect(policyPart(configuration)).toEqual({
      tools: { loopDetection: block },
      agents: { list: [{ id: 'coder', tools: { loopDetection: block } }] },
      loopwarden: { enforce: false },
    });
  });

  it('agents without a block are left out', () => {
    expect(policyPart({ agents: { list: [{ id: 'a' }, { id: 'b', tools: {} }] } })).toEqual({});
  });

  it('of two entries of one agent the first counts, also where it has no block', () => {
    const list = [{ id: 'Coder ' }, { id: 'coder', tools: { loopDetection: block } }];
    expect(policyPart({ agents: { list } })).toEqual({});
  });
});
