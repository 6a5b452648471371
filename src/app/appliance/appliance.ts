/** The box's status, metrics and models. */
import { dirname, join } from 'node:path';
import type { APPLIANCE, ModelStatus } from '../../domain/contract/appliance.ts';
import type { BackupStatus } from '../../domain/contract/backups.ts';
import type { ValuesOf } from '../../domain/field.ts';
import { describeOutside, figuresOf } from '../../domain/packs/measured-figures.ts';
import { MODEL_TASKS, packKey, staysOnCpu } from '../../domain/packs/model-pack.ts';
import { MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import { API_VERSION, VERSION } from '../../domain/version.ts';
import type { InstalledPack } from '../../engine/packs/installed-packs.ts';
import { readModelCard } from '../../engine/packs/model-card.ts';
import type { PackStatus } from '../../engine/packs/pack-status.ts';
import { workerState } from '../../engine/remote/worker-roster.ts';
import { readRssAnon } from '../../machinery/process-table.ts';
import type { Principal } from '../callers/principal.ts';
import type { ApplianceParts } from './parts.ts';

export interface ApplianceStatus extends ValuesOf<typeof APPLIANCE> {
  /** Size of the file that holds the records; null unless an administrator asks. */
  recordsBytes: number | null;
  /** Null unless an administrator asks. */
  backup: BackupStatus | null;
}

/** Figures that move with other accounts' work are for administrators: with them, one could watch another submit. */
export async function getStatus(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<ApplianceStatus> {
  if (principal.account.role === 'admin') return await readStatus(app);
  return {
    ...openStatus(app),
    isolation: null,
    videoDecoder: null,
    queueDepth: null,
    running: null,
    uptimeSeconds: null,
    rssAnonBytes: null,
    diskFreeBytes: null,
    recordsBytes: null,
    search: null,
    backup: null,
    models: listModels(app).map((model) => ({ ...model, resident: null })),
  };
}

/** The part of the status that anybody may see. */
function openStatus({ engine }: ApplianceParts) {
  const { phase } = engine.status();
  return { version: VERSION, apiVersion: API_VERSION, phase, notReadyReason: engine.notReadyReason };
}

export async function readStatus(app: ApplianceParts) {
  const { isolation, videoDecoder, queueDepth, running } = app.engine.status();
  return {
    ...openStatus(app),
    isolation: isolation?.level ?? 'not started',
    videoDecoder,
    queueDepth,
    running,
    uptimeSeconds: Math.round(process.uptime()),
    rssAnonBytes: await readRssAnon('self'),
    diskFreeBytes: await app.store.freeBytes(),
    recordsBytes: (await app.store.space()).bytes,
    search: { ...app.keptPictures.state, ...app.earlierPictures.state },
    backup: app.backups.status(),
    models: listModels(app),
  } satisfies ApplianceStatus;
}

/** Metrics that no event updates; read when they are collected. */
export async function readMetrics(app: ApplianceParts): Promise<string> {
  const { metrics, store, backups } = app;
  metrics.diskFree.set(await store.freeBytes());
  await setStoreMetrics(app);
  metrics.custodyEntries.set(store.read.custody.size);
  metrics.backupTooOld.set(backups.status().isTooOld ? 1 : 0);
  setQueueMetrics(app);
  setPictureMetrics(app);
  setModelMetrics(app);
  setWorkerMetrics(app);
  return await metrics.registry.metrics();
}

async function setStoreMetrics({ metrics, store }: ApplianceParts): Promise<void> {
  const { transactions, seconds } = store.oldestReader();
  metrics.oldestReaderTransactions.set(transactions);
  metrics.oldestReaderSeconds.set(seconds);
  const { bytes, freeBytes } = await store.space();
  metrics.recordsBytes.set(bytes);
  metrics.recordsFree.set(freeBytes / bytes);
}

function setQueueMetrics({ metrics, store, clock, running }: ApplianceParts): void {
  const reason = running.waitReason();
  metrics.queueHeld.reset();
  if (reason !== null) metrics.queueHeld.set({ reason: reason.step }, 1);
  const now = clock.now();
  const secondsSince = (at: number) => Math.max(0, (now - at) / MICROSECONDS_PER_SECOND);
  metrics.queueOldest.set(secondsSince(oldestQueuedAt(store.read) ?? now));
  metrics.webhookOverdue.set(secondsSince(store.read.nextDeliveryAt() ?? now));
}

function setPictureMetrics({ metrics, keptPictures }: ApplianceParts): void {
  const { pictures, bytes, fileBytes, damaged } = keptPictures.state;
  metrics.pictureIndexPictures.set(pictures);
  metrics.pictureIndexBytes.set({ place: 'memory' }, bytes);
  metrics.pictureIndexBytes.set({ place: 'file' }, fileBytes);
  metrics.pictureIndexDamaged.set(damaged);
}

/** The index holds running work beside waiting work, oldest first; the running part is bounded. */
function oldestQueuedAt(read: ApplianceParts['store']['read']): number | undefined {
  for (const analysis of read.openAnalyses()) {
    if (analysis.state === 'queued') return analysis.queuedAt;
  }
  return undefined;
}

function setModelMetrics(app: ApplianceParts): void {
  const { metrics, doctor } = app;
  const models = listModels(app);
  metrics.models.reset();
  for (const { provider, fault } of models)
    metrics.models.inc({ provider: fault === null ? (provider ?? 'loading') : 'none' });
  const [first] = doctor.providers;
  const elsewhere = app.shelf.installed.filter((installed) => hasFallenBack(installed, first));
  metrics.residentModels.set(models.filter(({ resident }) => resident).length);
  metrics.providerFallbacks.set(elsewhere.length);
}

/** A model runs by another provider than the `first` one, although it does not belong there and is not being prepared. */
export function hasFallenBack(
  { pack, report }: Pick<InstalledPack, 'pack' | 'report'>,
  first: string | undefined,
): boolean {
  const { provider = null, preparing } = report ?? {};
  return provider !== null && provider !== first && preparing === undefined && !staysOnCpu(pack);
}

function setWorkerMetrics({ metrics, remote }: ApplianceParts): void {
  metrics.workers.reset();
  for (const worker of remote?.workers() ?? []) metrics.workers.inc({ state: workerState(worker) });
}

/** Models in service, and those that are not, with their faults. */
function listModels({ engine, shelf, store }: ApplianceParts): ModelStatus[] {
  const own = join(store.folder, 'models');
  const { packs, resident } = engine.status();
  const whole = shelf.installed.map(
    ({ pack, folder, report }): ModelStatus => ({
      id: pack.id,
      version: pack.version,
      name: pack.name,
      task: pack.task,
      kind: pack.mediaKind,
      licence: pack.licence,
      source: pack.source,
      sha256: pack.sha256,
      provider: report?.provider ?? null,
      precision: report === null || report.provider === null ? null : report.precision,
      precisionNote: report?.precisionNote ?? null,
      preparing: report?.preparing ?? null,
      resident: resident.has(packKey(pack)),
      fault: report?.fault ?? null,
      minimumShortSide: 'minimumShortSide' in pack ? pack.minimumShortSide : 0,
      outside: describeOutside(figuresOf(pack)),
      figures: figuresOf(pack),
      weight: 'decision' in pack ? pack.decision.weight : 0,
      added: dirname(folder) === own,
    }),
  );
  const refused = packs.filter(
    ({ id, version, fault }) =>
      fault !== null && !whole.some((model) => model.id === id && model.version === version),
  );
  return [...whole, ...refused.map(toRefusedModel)];
}

function toRefusedModel({ id, version, task, fault }: PackStatus): ModelStatus {
  const known = MODEL_TASKS.find((name) => name === task) ?? '';
  const kind = known === 'speech-origin' || known === 'voice-activity' ? 'audio' : 'image';
  return {
    id,
    version,
    name: id,
    task: known,
    kind,
    provider: null,
    fault,
    licence: '',
    source: '',
    precision: null,
    precisionNote: null,
    preparing: null,
    resident: false,
    minimumShortSide: 0,
    outside: '',
    figures: [],
    weight: 0,
    added: false,
    sha256: '',
  };
}

export async function getModelCard({ shelf }: ApplianceParts, { id }: { id: string }): Promise<string> {
  return await readModelCard(shelf.installed, id);
}
