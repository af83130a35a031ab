import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host to listen on or to reach stays on this machine. Names other than localhost do not count. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const version = isIP(bare);
  if (version === 0) return bare === 'localhost';
  return LOOPBACK.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a broker, written `host:port`, stays on this machine. */
export function isLocalBroker(broker: string): boolean {
  return isLoopback(broker.slice(0, broker.lastIndexOf(':')));
}
