import { expect, it } from 'vitest';
import { isLocalBroker, isLoopback } from './loopback.ts';

it.each(['127.0.0.1', '127.9.9.9', '::1', '[::1]', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST'])(
  '%s stays on this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(isLocalBroker(`${host}:9092`)).toBe(true);
  },
);

it.each(['0.0.0.0', '::', '', '10.0.0.1', '128.0.0.1', 'localhost.example', '127.0.0.1.example', '1270.0.1'])(
  '%s does not',
  (host) => {
    expect(isLoopback(host)).toBe(false);
    expect(isLocalBroker(`${host}:9092`)).toBe(false);
  },
);
