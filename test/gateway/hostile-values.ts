import fc from 'fast-check';

/** Makes a value when it is needed: what is hostile to us is so to the framework too. */
type Maker = () => unknown;

/** Whatever a host without types may hand over, and whatever it may throw. */
export const hostile: fc.Arbitrary<Maker> = fc.oneof(
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withTypedArray: true,
    })
    .map((value) => () => value),
  fc.constantFrom<Maker>(
    cyclic,
    revoked,
    unreadable,
    () => Symbol('s'),
    () => () => 1,
    () => Object.create(null),
    () => 'a\ud800b',
    () => 'x'.repeat(10_000),
    () => new Error('e'),
    () => new Proxy(new Error('e'), traps),
    () => Promise.resolve(1),
    () => ({ toJSON: thrower, toString: thrower, valueOf: thrower }),
    () => ({ content: [{ type: 'text', text: unreadable() }], details: unreadable() }),
    blockedForAWhile,
  ),
);

/** An object whose fields of those names are hostile, some of them there, some behind getters that throw. */
export function hostileObject(...names: readonly string[]): fc.Arbitrary<() => object> {
  const field = fc.oneof({ weight: 4, arbitrary: hostile }, { weight: 1, arbitrary: fc.constant(GETTER) });
  return fc
    .record(Object.fromEntries(names.map((name) => [name, field])), { requiredKeys: [] })
    .map((fields) => () => {
      const object = {};
      for (const [name, maker] of Object.entries(fields)) {
        const how = maker === GETTER ? { get: thrower } : { value: maker?.() };
        Object.defineProperty(object, name, { ...how, enumerable: true });
      }
      return object;
    });
}

/** Stands for a getter that throws. */
const GETTER: Maker = () => undefined;

function thrower(): never {
  throw Object.create(null);
}

const traps: ProxyHandler<object> = {
  get: thrower,
  has: thrower,
  ownKeys: thrower,
  getPrototypeOf: thrower,
  getOwnPropertyDescriptor: thrower,
};

function unreadable(): object {
  return new Proxy({}, traps);
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic(): object {
  const value: { self?: unknown; list?: unknown } = {};
  value.self = value;
  value.list = [value, 1n];
  return value;
}

/** A blocked result whose details can be read while it is digested, and no longer. */
export function blockedForAWhile(): object {
  let reads = 0;
  const get = () => {
    reads += 1;
    return reads > 2 ? thrower() : { status: 'blocked', deniedReason: 'tool-loop' };
  };
  return Object.defineProperty({ content: [] }, 'details', { get });
}
