/** Adds and removes model packs while the appliance works. */
import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditAction } from '../../domain/custody/audit-actions.ts';
import { AppError, badField, diskFull } from '../../domain/errors.ts';
import { type ModelPack, packKey } from '../../domain/packs/model-pack.ts';
import type { PackStage } from '../../engine/packs/pack-changes.ts';
import { download } from '../../machinery/download.ts';
import { auditLine } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import {
  assertLicenceAccepted,
  type CatalogueEntry,
  describeCard,
  describePack,
  findEntry,
} from './catalogue.ts';
import type { ApplianceParts } from './parts.ts';

export interface ModelFile {
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

export interface AddModelInput {
  principal: Principal;
  /** Empty if the files are a whole pack. */
  catalogueName: string;
  /** Whether the daemon fetches the catalogue's file itself. */
  download: boolean;
  /** The licence that the caller accepts, if the catalogue demands it. */
  acceptLicence: string;
  /** A whole pack, or the catalogue's model file alone; none if it is fetched. */
  files: AsyncIterable<ModelFile>;
}

export interface AddModelStep {
  stage: 'receive' | 'download' | 'test' | 'done';
  doneBytes: number;
  /** 0 if it is not known. */
  totalBytes: number;
  /** `id@version` once it is in service; empty before. */
  model: string;
}

/** Larger than any open detector; bounds what a mistake can put on the disk. */
export const MODEL_BYTES_MAX = 4 * 1024 ** 3;
/** Description, model, card, licence and some more. */
const FILES_MAX = 16;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Free space is checked after so many bytes of a model. */
const GUARD_BYTES = 16 * 1024 ** 2;

/** Reports each step; the last one names the model. Administrators only. */
export function addModel(
  app: ApplianceParts,
  input: AddModelInput,
  signal: AbortSignal,
): AsyncGenerator<AddModelStep> {
  assertAdmin(input.principal);
  assertMayWrite(input.principal);
  return followReports((report) => add(app, input, report, signal));
}

async function add(
  app: ApplianceParts,
  input: AddModelInput,
  report: (step: AddModelStep) => void,
  signal: AbortSignal,
): Promise<AddModelStep> {
  const { principal, catalogueName } = input;
  const entry = catalogueName === '' ? null : await findEntry(app, catalogueName);
  if (entry !== null) assertLicenceAccepted(entry, input.acceptLicence);
  if (entry === null && input.download) throw badField('download', 'expected a catalogue_name beside it');
  await using stage = await app.packChanges.stage();
  await fill(app, stage, { ...input, entry }, report, signal);
  report({ stage: 'test', doneBytes: 0, totalBytes: 0, model: '' });
  const pack = await app.packChanges.install(stage, { recordsGolden: entry !== null }, signal);
  const { licenceAccept } = entry ?? {};
  const details = {
    task: pack.task,
    sha256: pack.sha256,
    catalogue: catalogueName,
    ...(licenceAccept === undefined ? {} : { licence: licenceAccept }),
  };
  await note(app, principal, 'model.add', packKey(pack), details);
  return { stage: 'done', doneBytes: 0, totalBytes: 0, model: packKey(pack) };
}

async function fill(
  app: ApplianceParts,
  stage: PackStage,
  { entry, files, download: isFetched }: AddModelInput & { entry: CatalogueEntry | null },
  report: (step: AddModelStep) => void,
  signal: AbortSignal,
): Promise<void> {
  if (entry === null) return await receiveFiles(app, stage, files, report);
  const pack = describePack(entry);
  const path = join(stage.folder, modelFileOf(pack));
  if (isFetched) await fetchModel(app, entry, path, report, signal);
  else await receiveModel(app, stage, { entry, pack, files }, report);
  await writeFile(join(stage.folder, 'model.json'), `${JSON.stringify(pack, null, 2)}\n`);
  await writeFile(join(stage.folder, 'CARD.md'), describeCard(entry));
}

function modelFileOf({ file }: ModelPack): string {
  if (typeof file === 'string') return file;
  throw new AppError('bad_model', 'the catalogue describes a model that comes with Assay only');
}

async function fetchModel(
  app: ApplianceParts,
  { address, sha256, bytesMax, downloadSecondsMax }: CatalogueEntry,
  path: string,
  report: (step: AddModelStep) => void,
  signal: AbortSignal,
): Promise<void> {
  await assertRoom(app, bytesMax);
  const { fetchAllowNetworks } = app.config;
  const order = { address, sha256, bytesMax, path, secondsMax: downloadSecondsMax };
  const onBytes = (doneBytes: number, totalBytes: number) =>
    report({ stage: 'download', doneBytes, totalBytes, model: '' });
  onBytes(0, 0);
  await download({ ...order, allowNetworks: fetchAllowNetworks }, onBytes, signal);
}

/** Receives the catalogue's file by hand, for a box without a network. */
async function receiveModel(
  app: ApplianceParts,
  stage: PackStage,
  { entry, pack, files }: { entry: CatalogueEntry; pack: ModelPack; files: AsyncIterable<ModelFile> },
  report: (step: AddModelStep) => void,
): Promise<void> {
  let found: string | null = null;
  for await (const { bytes } of files) {
    if (found !== null) throw badField('file', 'expected one file, the model; found another');
    const order = { path: join(stage.folder, modelFileOf(pack)), bytesMax: entry.bytesMax, received: 0 };
    found = (await receive(app, order, bytes, report)).sha256;
  }
  if (found === null) throw badField('file', 'expected the model file, or download; found neither');
  if (found === entry.sha256) return;
  throw new AppError('bad_model', `expected a file with SHA-256 ${entry.sha256}, found ${found}`);
}

async function receiveFiles(
  app: ApplianceParts,
  { folder }: PackStage,
  files: AsyncIterable<ModelFile>,
  report: (step: AddModelStep) => void,
): Promise<void> {
  const names = new Set<string>();
  let received = 0;
  for await (const { name, bytes } of files) {
    if (!FILE_NAME.test(name) || names.has(name)) {
      throw badField('file.name', `expected a plain file name, each once, found ${JSON.stringify(name)}`);
    }
    names.add(name);
    if (names.size > FILES_MAX) throw badField('file', `expected at most ${FILES_MAX} files, found more`);
    const order = { path: join(folder, name), bytesMax: MODEL_BYTES_MAX - received, received };
    received += (await receive(app, order, bytes, report)).sizeBytes;
  }
  if (names.size === 0) throw badField('file', 'expected the files of a pack, found none');
}

async function receive(
  app: ApplianceParts,
  { path, bytesMax, received }: { path: string; bytesMax: number; received: number },
  bytes: AsyncIterable<Uint8Array>,
  report: (step: AddModelStep) => void,
): Promise<{ sha256: string; sizeBytes: number }> {
  await using file = await open(path, 'wx');
  const hash = createHash('sha256');
  let [sizeBytes, guardAt] = [0, 0];
  for await (const chunk of bytes) {
    if (sizeBytes >= guardAt) {
      await assertRoom(app, GUARD_BYTES);
      guardAt += GUARD_BYTES;
    }
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw badField('chunk', `expected at most ${bytesMax} bytes, found more`);
    hash.update(chunk);
    await file.writeFile(chunk);
    report({ stage: 'receive', doneBytes: received + sizeBytes, totalBytes: 0, model: '' });
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}

async function assertRoom({ store, config }: ApplianceParts, bytes: number): Promise<void> {
  if ((await store.freeBytes()) - bytes < config.diskFreeBytesMin) throw diskFull();
}

/** Records keep naming it; queued work goes on without it. Administrators only. */
export async function removeModel(
  app: ApplianceParts,
  { principal, id }: { principal: Principal; id: string },
): Promise<void> {
  assertAdmin(principal);
  assertMayWrite(principal);
  await app.packChanges.remove(id);
  await note(app, principal, 'model.remove', id, {});
}

async function note(
  app: ApplianceParts,
  principal: Principal,
  action: AuditAction,
  target: string,
  details: Record<string, string>,
): Promise<void> {
  await app.store.transact((tx) => tx.log.appendAudit(auditLine(app, principal, action, target, details)));
}

/** The newest report each time the caller asks, then the outcome. */
async function* followReports<S>(work: (report: (step: S) => void) => Promise<S>): AsyncGenerator<S> {
  let latest: S | undefined;
  let wake = Promise.withResolvers<void>();
  const done = work((step) => {
    latest = step;
    wake.resolve();
  });
  const ended = done.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([ended, wake.promise.then(() => false)]))) {
    wake = Promise.withResolvers<void>();
    if (latest !== undefined) yield latest;
  }
  yield await done;
}
