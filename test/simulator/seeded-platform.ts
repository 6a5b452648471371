/** Randomness from the seed: identifiers and salts are keys, and a repeated run must make them again. In this process only. */
import crypto from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Random } from '../heavy/random.ts';

let random = new Random(0);

export function seedPlatform(seed: number): void {
  random = new Random(seed);
}

function bytes(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.whole(0, 255)));
}

function uuid(): ReturnType<typeof crypto.randomUUID> {
  const hex = bytes(16).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return `${parts[0]}-${parts[1]}-${parts[2]}-${parts[3]}-${hex.slice(20)}`;
}

Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid });
Math.random = () => random.next();
/** As on a share: the kernel says nothing of what others write, or it would say it at no certain time. */
function watch(): never {
  throw new Error('nothing is reported of files here');
}

Object.assign(fs, { watch });
syncBuiltinESMExports();
