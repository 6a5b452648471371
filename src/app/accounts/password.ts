/** Passwords: Argon2id from Node itself, in PHC form so that its cost can be raised later. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { badField } from '../../domain/errors.ts';
import { Turnstile } from '../../machinery/turns/turnstile.ts';

const derive = promisify(argon2);

/** OWASP's second recommended setting: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Length is what counts (NIST SP 800-63B); the upper bound keeps the hashing of it cheap. */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 256;

/** Node derives on the four threads that also serve files: half of them always stay free. */
const DERIVATIONS_MAX = 2;
const derivations = new Turnstile(DERIVATIONS_MAX);
/** The account is unknown before the derivation, so all wait in one line. */
const NO_ACCOUNT = 0;

export function parsePassword(value: unknown): string {
  const length = typeof value === 'string' ? [...value].length : 0;
  if (typeof value === 'string' && length >= PASSWORD_CHARACTERS_MIN && length <= PASSWORD_CHARACTERS_MAX) {
    return value;
  }
  const found = typeof value === 'string' ? `${length}` : `a value of type ${typeof value}`;
  throw badField(
    'password',
    `expected ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters, found ${found}`,
  );
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const cost = { parallelism: LANES, memory: MEMORY_KIB, passes: PASSES };
  const tag = await deriveTag(password, salt, cost);
  const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`;
}

/** Compared for an unknown account, so that it takes the same time; no password matches it. */
const NO_PASSWORD = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Whether the password is the account's; null (no account, no password set) takes as long as a wrong one. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash ?? NO_PASSWORD) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash cannot be read');
  const expected = Buffer.from(tag, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const found = await deriveTag(
    password.slice(0, PASSWORD_CHARACTERS_MAX * 2),
    Buffer.from(salt, 'base64'),
    cost,
  );
  return found.length === expected.length && timingSafeEqual(found, expected) && hash !== null;
}

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** Normalised, since keyboards send the same letters composed or decomposed. */
async function deriveTag(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  using _turn = await derivations.enter(NO_ACCOUNT);
  return await derive('argon2id', {
    message: password.normalize('NFC'),
    nonce,
    tagLength: TAG_BYTES,
    ...cost,
  });
}
