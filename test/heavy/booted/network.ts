/** What boxes and this machine are plugged into: a bridge of the range that no one routes. Needs root. */
import { execFileSync } from 'node:child_process';

export const BRIDGE = 'assaybox';
export const NETWORK = '10.77.0';
/** This machine's own. */
export const HERE = `${NETWORK}.1`;

export function openNetwork(): Disposable {
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  ip('link', 'add', 'name', BRIDGE, 'type', 'bridge');
  ip('address', 'add', `${HERE}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
  return { [Symbol.dispose]: () => ip('link', 'delete', BRIDGE) };
}
