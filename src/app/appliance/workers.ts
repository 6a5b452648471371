/** Workers that were heard of since the start. The store holds which are drained, whichever side restarts. */
import type { WorkerEntry } from '../../domain/contract/processes.ts';
import type { AuditAction } from '../../domain/custody/audit-actions.ts';
import { AppError } from '../../domain/errors.ts';
import type { WorkerStatus } from '../../engine/remote/worker-roster.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { auditLine } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { ApplianceParts } from './parts.ts';

const DIGEST_SHOWN = 12;

/** By name. Administrators only. */
export function listWorkers(
  { remote }: Pick<ApplianceParts, 'remote'>,
  { principal }: { principal: Principal },
): WorkerEntry[] {
  assertAdmin(principal);
  return (remote?.workers() ?? []).map(toEntry).sort((one, other) => (one.name < other.name ? -1 : 1));
}

export interface WorkerInput {
  principal: Principal;
  name: string;
}

/** Lets it finish its work and take no more. Administrators only; throws `worker`. */
export async function drainWorker(app: ApplianceParts, input: WorkerInput): Promise<WorkerEntry> {
  await change(app, input, 'worker.drain', (tx) => tx.automation.drainWorker(input.name, app.clock.now()));
  return toEntry(find(app, input));
}

/** Lets it take work again. Administrators only; throws `worker`. */
export async function resumeWorker(app: ApplianceParts, input: WorkerInput): Promise<WorkerEntry> {
  const before = find(app, input);
  await change(app, input, 'worker.resume', (tx) => tx.automation.resumeWorker(input.name));
  // A worker that was not heard of was only listed as drained.
  return toEntry(named(app, input.name) ?? { ...before, isDrained: false });
}

/** Removes a lost worker, whose work goes to others. Administrators only; throws `worker`, and `worker_here` if present. */
export async function forgetWorker(app: ApplianceParts, input: WorkerInput): Promise<WorkerEntry> {
  const known = find(app, input);
  if (known.isHere) {
    throw new AppError(
      'worker_here',
      `the worker ${known.name} is here: stop it, or take its key out of the broker`,
    );
  }
  await change(app, input, 'worker.forget', (tx) => tx.automation.resumeWorker(input.name));
  app.remote?.forget(input.name);
  return toEntry(known);
}

async function change(
  app: ApplianceParts,
  input: WorkerInput,
  action: AuditAction,
  write: (tx: StoreTransaction) => void,
): Promise<void> {
  const { principal, name } = input;
  find(app, input);
  await app.store.transact((tx) => {
    write(tx);
    tx.log.appendAudit(auditLine(app, principal, action, name));
  });
  app.remote?.recount();
}

function named({ remote }: ApplianceParts, name: string): WorkerStatus | undefined {
  return remote?.workers().find((worker) => worker.name === name);
}

function find(app: ApplianceParts, { principal, name }: WorkerInput): WorkerStatus {
  assertAdmin(principal);
  assertMayWrite(principal);
  const found = named(app, name);
  if (found === undefined) throw new AppError('worker', `no worker ${name} was heard of`);
  return found;
}

function toEntry({ packs, isDraining, isDrained, isHere, ...rest }: WorkerStatus): WorkerEntry {
  return {
    ...rest,
    draining: isDraining || isDrained,
    drained: isDrained,
    here: isHere,
    packs: packs.map(({ key, sha256 }) => `${key} ${sha256.slice(0, DIGEST_SHOWN)}`),
    devices: [...new Set(packs.flatMap(describeDevice))].sort(),
  };
}

function describeDevice({ provider, precision }: WorkerStatus['packs'][number]): string[] {
  return provider === null ? [] : [`${provider}${precision === 'half' ? ' in half precision' : ''}`];
}
