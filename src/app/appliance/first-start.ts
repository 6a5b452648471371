/** The first start: the plan `appliance`, the administrator and its key, in one transaction. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../../domain/accounts/account.ts';
import { appliancePlan } from '../../domain/accounts/plan.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Sealer } from '../../machinery/sealer.ts';
import type { Store } from '../../store/store.ts';
import { blankAccount } from '../accounts/account-rules.ts';
import { auditLine } from '../accounts/audit.ts';
import { newApiKey } from '../accounts/keys.ts';
import { hashPassword } from '../accounts/password.ts';
import { hashSecret, issueToken } from '../callers/tokens.ts';

export interface FirstStartConfig {
  dataFolder: string;
  adminEmail: string;
  adminPassword: string | null;
  /** For provisioning: the administrator's key instead of a random one. */
  adminApiKey: string | null;
  rateLimitPerMinute: number;
}

const ADMIN_ACCOUNT_ID = 1;
const APPLIANCE_PLAN_ID = 1;
/** Credits of the administrator; the embedded plan charges none. */
const ADMIN_CREDITS = 1_000_000;
export const ADMIN_KEY_FILE = 'admin.key';

/** Shown once, by the command that started the daemon. */
export interface FirstStart {
  key: string;
  /** Whether the key was made now, not given by a setting. */
  isKeyNew: boolean;
  /** Token of a link that sets the administrator's password; null if the settings gave one. */
  passwordToken: string | null;
}

/** Null if the appliance was set up before. */
export async function setUpFirstStart(
  store: Store,
  clock: Clock,
  sealer: Sealer,
  config: FirstStartConfig,
): Promise<FirstStart | null> {
  if (store.read.accounts.get(ADMIN_ACCOUNT_ID) !== undefined) {
    await applyRateLimit(store, config.rateLimitPerMinute);
    return null;
  }
  const key = config.adminApiKey ?? newApiKey();
  const now = clock.now();
  const passwordHash = config.adminPassword === null ? null : await hashPassword(config.adminPassword);
  const sealed = sealer.seal(key);
  // The file is written first: otherwise a kill in between would leave a key that no one has.
  await writeFile(join(config.dataFolder, ADMIN_KEY_FILE), `${key}\n`, { mode: 0o600, flush: true });
  const passwordToken = await store.transact((tx) => {
    tx.accounts.putPlan(appliancePlan(config.rateLimitPerMinute));
    tx.accounts.put(adminAccount(config.adminEmail, passwordHash, now));
    tx.accounts.putApiKey({
      hash: hashSecret(key),
      id: 1,
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
    tx.log.appendAudit(
      auditLine({ clock }, null, 'account.create', ADMIN_ACCOUNT_ID, { email: config.adminEmail }),
    );
    if (passwordHash !== null) return null;
    return issueToken(tx, { accountId: ADMIN_ACCOUNT_ID, purpose: 'set_password', now }).token;
  });
  return { key, isKeyNew: config.adminApiKey === null, passwordToken };
}

/** The setting replaces the stored limit at every start. */
async function applyRateLimit(store: Store, rateLimitPerMinute: number): Promise<void> {
  const plan = store.read.accounts.plans.get(APPLIANCE_PLAN_ID);
  if (plan === undefined || plan.rateLimitPerMinute === rateLimitPerMinute) return;
  await store.transact((tx) => tx.accounts.putPlan({ ...plan, rateLimitPerMinute }));
}

function adminAccount(email: string, passwordHash: string | null, now: number): Account {
  return {
    ...blankAccount(ADMIN_ACCOUNT_ID, { name: 'Administrator', email, planId: 1 }, now),
    role: 'admin',
    lastKeyId: 1,
    passwordHash,
    emailVerifiedAt: now,
    termsAcceptedAt: now,
  };
}
