import fc from 'fast-check';
import { type Block, isOrdered, type PolicyDocument } from './oracle/settings.ts';
import { few, mostly, positive } from './pick.ts';

const switches = {
  genericRepeat: mostly(true, false),
  knownPollNoProgress: mostly(true, false),
  pingPong: mostly(true, false),
};

const anyBlock: fc.Arbitrary<Block> = fc.record(
  {
    enabled: mostly<boolean>(true, false),
    observe: mostly<boolean>(false, true),
    historySize: fc.oneof(positive(6), fc.integer({ min: 6, max: 26 })),
    warningThreshold: positive(4),
    unknownToolThreshold: positive(4),
    criticalThreshold: fc.oneof(fc.integer({ min: 2, max: 7 }), fc.constant(20)),
    globalCircuitBreakerThreshold: fc.integer({ min: 3, max: 10 }),
    detectors: fc.record(switches, { requiredKeys: [] }),
    postCompactionGuard: fc.record({ windowSize: positive(3) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

/** A block that passes the check: what it sets is in order. */
const block = anyBlock.filter(isOrdered);

/** The usual case: the detectors are on, everything is small. */
const busyBlock: fc.Arbitrary<Block> = anyBlock
  .map((made) => ({
    warningThreshold: (made.historySize ?? 0) % 2 === 0 ? 2 : 1,
    unknownToolThreshold: 2,
    criticalThreshold: 4,
    ...made,
    enabled: true,
  }))
  .filter(isOrdered);

/** Any policy that passes the check, mostly with detectors that are on. */
export const policyDocument: fc.Arbitrary<PolicyDocument> = fc.record(
  {
    tools: fc.record(
      { loopDetection: fc.oneof({ weight: 3, arbitrary: busyBlock }, block) },
      { requiredKeys: [] },
    ),
    agents: fc.record({
      list: fc.array(
        block.map((made) => ({ id: 'beta', tools: { loopDetection: made } })),
        { maxLength: 1 },
      ),
    }),
    loopwarden: fc.record({ idle: few(['30m', '1h', '2h']) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['tools'] },
);

/** The guard watches two outcomes or one; what it says may be a shadow. */
export const guardDocument: fc.Arbitrary<PolicyDocument> = fc.record({
  tools: fc.record({
    loopDetection: fc.record(
      {
        enabled: fc.boolean(),
        observe: fc.boolean(),
        postCompactionGuard: fc.record({ windowSize: positive(2) }),
      },
      { requiredKeys: ['observe', 'postCompactionGuard'] },
    ),
  }),
});

/** Warnings early, blocks never, and room for many records. */
export const patientDocument: fc.Arbitrary<PolicyDocument> = fc.record({
  tools: fc.record({
    loopDetection: fc.record({
      enabled: fc.constant(true),
      historySize: few([2, 12, 40]),
      warningThreshold: positive(2),
      criticalThreshold: fc.constant(90),
      globalCircuitBreakerThreshold: fc.constant(91),
      unknownToolThreshold: fc.constant(90),
    }),
  }),
});

/** Values that a policy change gives a block. */
export const patch: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ enabled: fc.boolean() }),
  fc.record({ observe: fc.boolean() }),
  fc.record({ postCompactionGuard: fc.record({ windowSize: positive(3) }) }),
  anyBlock,
);

/** Texts that the check refuses: no JSON object changes nothing, wrong values count as missing. */
export const REFUSED = [
  '{',
  '[]',
  '7',
  '{"tools":{"loopDetection":{"enabled":true,"warningThreshold":0,"criticalThreshold":4}}}',
  '{"tools":{"loopDetection":{"enabled":true,"historySize":"9","warningThreshold":-1}}}',
  '{"tools":{"loopDetection":{"enabled":true,"warningThreshold":3,"criticalThreshold":3}}}',
  '{"tools":{"loopDetection":{"enabled":true,"warningThreshold":4,"globalCircuitBreakerThreshold":2}}}',
];
