/**
 * An evidence package as a stream. What it says is fixed before its first byte; that it went out is recorded, with its audit line,
 * in a transaction of its own before its signature is given away: no signed package is without its entry.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { frameHeatmapFile, HEATMAP_FILES } from '../../domain/media/heatmap.ts';
import { readingOfRecord, withExport } from '../../domain/records/exported-reading.ts';
import { RULES_VERSION } from '../../domain/verdicts/rules-version.ts';
import { VERSION } from '../../domain/version.ts';
import { toCustodyFiles } from '../../evidence/custody-members.ts';
import { type EvidenceRecord, toFiguresJson, toRecordJson } from '../../evidence/evidence-record.ts';
import { MEMBERS, RECORD_MEMBERS, recordFolder } from '../../evidence/members.ts';
import {
  type PackagePlan,
  type PayloadMember,
  type SignedPackage,
  writePackage,
} from '../../evidence/package-writer.ts';
import { toHtmlReport } from '../../evidence/report/html-report.ts';
import { writePdfReport } from '../../evidence/report/pdf-process.ts';
import { type Report, toReport } from '../../evidence/report/report.ts';
import type { SigningKey } from '../../machinery/signing-key.ts';
import { auditLine } from '../accounts/audit.ts';
import type { Principal } from '../callers/principal.ts';
import type { CustodyParts } from '../custody/parts.ts';
import { boundsOf, cardOf, gatherRecords, manifestOf, modelsOf } from './evidence-records.ts';
import { type ExportInput, type ExportOrder, parseExport } from './export-input.ts';
import { previewsOf, sheetOf } from './previews.ts';
import { orderTimestamps } from './timestamps.ts';

export interface ExportProgress {
  files: number;
  /** About how many there will be. */
  filesTotal: number;
  bytes: number;
}

export interface EvidenceExport {
  /** File name of the zip. */
  name: string;
  /** The zip; throws if a file cannot be read whole. */
  bytes: AsyncGenerator<Buffer>;
  /** SHA-256 of the signed list of files, hex; empty until the bytes have reached that list. */
  readonly packageSha256: string;
}

/** What is fixed before the first byte. */
interface Draft {
  order: ExportOrder;
  records: EvidenceRecord[];
  createdAt: number;
  key: SigningKey;
}

const REFUSED_MAX = 3;

/** Throws `bad_field`, `classification`, `not_ended`, `damaged` before a byte is given; `report` is called after each file. */
export async function exportEvidence(
  app: CustodyParts,
  input: ExportInput,
  signal: AbortSignal,
  report: (progress: ExportProgress) => void = () => {},
): Promise<EvidenceExport> {
  const order = parseExport(input);
  const records = await gatherRecords(app, order);
  await assertWhole(app, records);
  const draft = { order, records, createdAt: app.clock.now(), key: app.signingKeys.current() };
  const stamp = new Date(draft.createdAt / 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  const [first] = records;
  const about = records.length === 1 ? first?.record.identifier.slice(0, 12) : `case-of-${records.length}`;
  const folder = `assay-evidence-${stamp}-${about}`;
  const filesTotal = countFiles(draft);
  let packageSha256 = '';
  const plan: PackagePlan = {
    folder,
    createdAt: draft.createdAt,
    key: draft.key,
    payload: payloadOf(app, draft, signal),
    info: infoOf(app, draft),
    predicate: predicateOf(app, draft),
    beforeSignature: async (made) => {
      await recordExport(app, draft, made);
      packageSha256 = made.tagManifestSha256;
    },
    report: ({ files, bytes }) => report({ files, filesTotal: Math.max(filesTotal, files), bytes }),
  };
  return {
    name: `${folder}.zip`,
    bytes: writePackage(plan, signal),
    get packageSha256() {
      return packageSha256;
    },
  };
}

/** A rotted original is reported before the package begins: half a package helps no one. */
async function assertWhole({ store }: CustodyParts, records: readonly EvidenceRecord[]): Promise<void> {
  const bad: string[] = [];
  for (const { record, originalMember } of records) {
    if (originalMember === null) continue;
    const isWhole = await store.blobs.checks.check(record.hash).then(
      () => true,
      () => false,
    );
    if (!isWhole) bad.push(record.identifier);
  }
  if (bad.length === 0) return;
  const shown = bad.slice(0, REFUSED_MAX).join(', ');
  throw new AppError(
    'media',
    `the stored original is not what was submitted: ${shown}${bad.length > REFUSED_MAX ? ', …' : ''}; restore it from a backup`,
  );
}

async function* payloadOf(
  app: CustodyParts,
  draft: Draft,
  signal: AbortSignal,
): AsyncGenerator<PayloadMember> {
  const { records } = draft;
  const models = modelsOf(records);
  for (const [index, one] of records.entries()) {
    const folder = recordFolder(index, records.length, one.record.identifier);
    yield* recordMembers(app, one, folder);
    yield* sheetMember(app, draft.order.principal, one, folder);
  }
  const cards = new Set<string>();
  for (const model of models) {
    const card = model.cardMember === null ? null : await cardOf(app, model);
    if (card === null || model.cardMember === null) continue;
    cards.add(model.cardMember);
    yield textMember(model.cardMember, card);
  }
  const catalogue = models.map((model) => ({
    ...model,
    cardMember: cards.has(model.cardMember ?? '') ? model.cardMember : null,
  }));
  yield jsonMember(MEMBERS.models, catalogue);
  yield jsonMember(MEMBERS.case, toCaseJson(draft));
  const report = reportOf(app, draft);
  const previews = await previewsOf(app, draft.order.principal, records, signal);
  yield { path: MEMBERS.reportHtml, open: () => toHtmlReport(report, previews), isCompressible: true };
  yield {
    path: MEMBERS.reportPdf,
    open: () => writePdfReport(report, previews, signal),
    isCompressible: false,
  };
}

function* recordMembers(app: CustodyParts, one: EvidenceRecord, folder: string): Generator<PayloadMember> {
  const { record, result, originalMember } = one;
  const { store } = app;
  if (originalMember !== null) {
    // Hashed as it streams: it breaks off before its last bytes if it is not what was submitted.
    const open = () => store.blobs.checks.read(record.hash);
    yield { path: originalMember, open, isCompressible: false };
  }
  yield* manifestMember(app, one);
  yield jsonMember(`${folder}${RECORD_MEMBERS.record}`, toRecordJson(one));
  for (const [name, text] of toCustodyFiles(one.custody)) yield textMember(`${folder}${name}`, text);
  if (result === null) return;
  yield jsonMember(`${folder}${RECORD_MEMBERS.figures}`, toFiguresJson(one));
  const analysisId = store.read.records.get(record.identifier)?.analysisId ?? '';
  const artifact = (path: string, file: string): PayloadMember => ({
    path: `${folder}${path}`,
    open: () => createReadStream(store.artifacts.pathOf(analysisId, file)),
    isCompressible: false,
  });
  if (record.kind === 'image') {
    for (const layer of record.heatmapLayers) {
      yield artifact(`maps/${HEATMAP_FILES[layer]}`, HEATMAP_FILES[layer]);
    }
  }
  if (result.kind !== 'video') return;
  for (const [index, frame] of result.frames.entries()) {
    yield artifact(`frames/${frame.file}`, frame.file);
    if (frame.image.hasHeatmap) yield artifact(`maps/${frameHeatmapFile(index)}`, frameHeatmapFile(index));
  }
  for (const { file } of result.tracks) yield artifact(`sound/${file}`, file);
}

/** The manifest that does not lie in the file: with it anyone can read the provenance anew. */
function* manifestMember(
  { store }: CustodyParts,
  { record: { identifier }, manifestMember }: EvidenceRecord,
): Generator<PayloadMember> {
  if (manifestMember === null) return;
  const { path } = manifestMember;
  const manifest = manifestOf(store, identifier);
  if (manifest === null) throw new AppError('media', `the manifest of ${identifier} was removed meanwhile`);
  yield { path, open: () => Readable.from([Buffer.from(manifest.bytes)]), isCompressible: false };
}

/** Kept in memory (a few megabytes), since making room for other renditions may remove it before it is read. */
async function* sheetMember(
  app: CustodyParts,
  principal: Principal,
  one: EvidenceRecord,
  folder: string,
): AsyncGenerator<PayloadMember> {
  const path = await sheetOf(app, principal, one);
  const bytes = path === null ? null : await readFile(path).catch(() => null);
  if (bytes === null) return;
  yield { path: `${folder}contact-sheet.png`, open: () => Readable.from([bytes]), isCompressible: false };
}

function textMember(path: string, text: string): PayloadMember {
  return { path, open: () => Readable.from([Buffer.from(text)]), isCompressible: true };
}

function jsonMember(path: string, value: unknown): PayloadMember {
  return textMember(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Counts the files of records, cards and lists; only for the progress. */
function countFiles({ records }: Draft): number {
  const perRecord = records.map(({ result, originalMember }) => {
    const parts = result?.kind === 'video' ? result.frames.length + result.tracks.length + 1 : 1;
    return 5 + (originalMember === null ? 0 : 1) + parts;
  });
  return perRecord.reduce((sum, count) => sum + count, 4 + modelsOf(records).length);
}

function toCaseJson({ order, records, createdAt, key }: Draft): object {
  const { title, notes, language, principal } = order;
  return {
    format: 1,
    title,
    notes,
    language,
    createdAt: toIso(createdAt),
    packedBy: { accountId: String(principal.account.id), name: principal.account.name },
    madeWith: { name: 'Assay', version: VERSION, rulesVersion: RULES_VERSION },
    signingKey: key.fingerprint,
    records: records.map(({ record }, index) => ({
      identifier: record.identifier,
      folder: recordFolder(index, records.length, record.identifier),
    })),
  };
}

function infoOf({ config }: CustodyParts, { order, records }: Draft): [string, string][] {
  return [
    ['Bag-Software-Agent', `Assay ${VERSION}`],
    ['Source-Organization', config.publicUrl],
    ['External-Description', order.title],
    ['External-Identifier', records.length === 1 ? (records[0]?.record.identifier ?? '') : ''],
    ['Contact-Name', order.principal.account.name],
    ['Assay-Rules-Version', String(RULES_VERSION)],
  ];
}

/** For tools that read attestations: what was found of which file, by which rules. */
function predicateOf({ config }: CustodyParts, { order, records, createdAt }: Draft): object {
  return {
    madeBy: config.publicUrl,
    assayVersion: VERSION,
    createdAt: toIso(createdAt),
    title: order.title,
    rulesVersion: RULES_VERSION,
    findings: records.map((one) => ({
      identifier: one.record.identifier,
      sha256: one.record.hash,
      kind: one.record.kind,
      status: one.record.status,
      finding: readingOfRecord(one.record),
      statedByPerson: one.record.forceClassification,
      bounds: boundsOf(one),
      models: one.models.map(({ id, version, sha256 }) => ({ id, version, sha256 })),
    })),
  };
}

function reportOf({ config }: CustodyParts, { order, records, createdAt, key }: Draft): Report {
  const { title, notes, language, principal } = order;
  return toReport({
    title,
    notes,
    language,
    records,
    createdAt,
    models: modelsOf(records),
    packedBy: principal.account.name,
    box: config.publicUrl,
    fingerprint: key.fingerprint,
  });
}

async function recordExport(app: CustodyParts, draft: Draft, made: SignedPackage): Promise<void> {
  const { order, records, createdAt, key } = draft;
  const { tagManifestSha256: packageSha256, signature } = made;
  const { principal } = order;
  await app.store.transact((tx) => {
    const included: string[] = [];
    for (const { record } of records) {
      const { identifier } = record;
      if (tx.records.get(identifier) === undefined) {
        throw new AppError('classification', `the record ${identifier} was deleted meanwhile`);
      }
      const reading = readingOfRecord(record);
      const { fingerprint } = key;
      if (reading !== null) {
        const exported = {
          ...reading,
          at: createdAt,
          byAccountId: principal.account.id,
          fingerprint,
          packageSha256,
        };
        tx.putExports(identifier, withExport(tx.exportsOf(identifier), exported));
        included.push(identifier);
      }
      const details = { package: packageSha256, records: String(records.length) };
      tx.appendAudit(auditLine(app, principal, 'evidence.export', identifier, details));
    }
    const accountId = principal.account.id;
    orderTimestamps(app, tx, {
      tagManifestSha256: packageSha256,
      signature,
      accountId,
      identifiers: included,
    });
  });
}

function toIso(microseconds: number): string {
  return new Date(microseconds / 1000).toISOString();
}
