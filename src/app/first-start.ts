/** The first start: the plan `appliance`, the administrator and its key, in one transaction. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../domain/account.ts';
import { DEFAULT_HEURISTIC } from '../domain/heuristics.ts';
import { appliancePlan } from '../domain/plan.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './app.ts';
import { hashKey } from './authenticate.ts';
import { hashPassword } from './password.ts';
import type { Sealer } from './sealer.ts';

export interface FirstStartConfig {
  dataFolder: string;
  adminEmail: string;
  adminPassword: string | null;
  /** For provisioning: the key that the administrator gets instead of a random one. */
  adminApiKey: string | null;
  rateLimitPerMinute: number;
}

const ADMIN_ACCOUNT_ID = 1;
/** DESIGN.md section 1: credits of the embedded plan, which consumes none. */
const ADMIN_CREDITS = 1_000_000;
const KEY_BYTES = 32;
export const ADMIN_KEY_FILE = 'admin.key';

/** Returns the new key, to be shown once; null where the appliance was set up before. */
export async function setUpFirstStart(
  store: Store,
  clock: Clock,
  sealer: Sealer,
  config: FirstStartConfig,
): Promise<string | null> {
  if (store.read.account(ADMIN_ACCOUNT_ID) !== undefined) return null;
  const key = config.adminApiKey ?? `assay_${randomBytes(KEY_BYTES).toString('hex')}`;
  const now = clock.now();
  const passwordHash = config.adminPassword === null ? null : await hashPassword(config.adminPassword);
  const sealed = sealer.seal(key);
  // The file comes first: were it written after, a kill in between would leave a key that nobody has.
  await writeFile(join(config.dataFolder, ADMIN_KEY_FILE), `${key}\n`, { mode: 0o600 });
  await store.transact((tx) => {
    tx.putPlan(appliancePlan(config.rateLimitPerMinute));
    tx.putAccount(adminAccount(config.adminEmail, passwordHash, now));
    tx.putApiKey({
      hash: hashKey(key),
      accountId: ADMIN_ACCOUNT_ID,
      name: 'first',
      sealed,
      createdAt: now,
      lastUsedAt: null,
    });
    tx.appendLedger({
      accountId: ADMIN_ACCOUNT_ID,
      reason: 'grant',
      amount: ADMIN_CREDITS,
      identifier: '',
      at: now,
    });
  });
  return key;
}

function adminAccount(email: string, passwordHash: string | null, now: number): Account {
  return {
    id: ADMIN_ACCOUNT_ID,
    name: 'Administrator',
    email,
    role: 'admin',
    planId: 1,
    partnerId: null,
    heuristic: DEFAULT_HEURISTIC,
    readonly: false,
    c2paPolicy: null,
    passwordHash,
    address: null,
    zip: null,
    city: null,
    country: null,
    phone: null,
    contact: null,
    vat: null,
    emailVerifiedAt: now,
    termsAcceptedAt: now,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}
