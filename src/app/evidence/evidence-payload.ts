/** The contents of an evidence package: records' files, cards, the case and the report, each opened in its turn. */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { frameHeatmapFile, HEATMAPS } from '../../domain/media/heatmap.ts';
import { RULES_VERSION } from '../../domain/verdicts/rules-version.ts';
import { VERSION } from '../../domain/version.ts';
import type { FileOrder, RenditionOrder } from '../../engine/decode/rendition-maker.ts';
import { toCustodyFiles } from '../../evidence/custody-members.ts';
import { type EvidenceRecord, toFiguresJson, toRecordJson } from '../../evidence/evidence-record.ts';
import { MEMBERS, RECORD_MEMBERS, recordFolder } from '../../evidence/members.ts';
import type { PayloadMember } from '../../evidence/package-writer.ts';
import type { Pictures } from '../../evidence/report/blocks.ts';
import { toHtmlReport } from '../../evidence/report/html-report.ts';
import { writePdfReport } from '../../evidence/report/pdf-process.ts';
import { mostSuspicious, sheetPicture } from '../../evidence/report/record-blocks.ts';
import { type Report, toReport } from '../../evidence/report/report.ts';
import type { SigningKey } from '../../machinery/signing-key.ts';
import type { Principal } from '../callers/principal.ts';
import type { CustodyParts } from '../custody/parts.ts';
import { sheetOrder } from '../records/renditions.ts';
import { cardOf, manifestOf, modelsOf } from './evidence-records.ts';
import type { ExportOrder } from './export-input.ts';

/** The parts that are fixed before the first byte. */
export interface Draft {
  order: ExportOrder;
  records: EvidenceRecord[];
  createdAt: number;
  key: SigningKey;
}

/** In the order of the package. */
export async function* payloadOf(
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
    // Hashed as it streams: it breaks off before its last bytes if it was changed.
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
      yield artifact(`maps/${HEATMAPS[layer].file}`, HEATMAPS[layer].file);
    }
  }
  if (result.kind !== 'video') return;
  for (const [index, frame] of result.frames.entries()) {
    yield artifact(`frames/${frame.file}`, frame.file);
    if (frame.image.hasHeatmap) yield artifact(`maps/${frameHeatmapFile(index)}`, frameHeatmapFile(index));
  }
  for (const { file } of result.tracks) yield artifact(`sound/${file}`, file);
}

/** The manifest outside the file: with it anyone can read the provenance anew. */
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
export function countFiles({ records }: Draft): number {
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

export function toIso(microseconds: number): string {
  return new Date(microseconds / 1000).toISOString();
}

/** A slower picture is left out: the report is read without it, and the file is in the package. */
const PREVIEW_WAIT_MS = 15_000;

/**
 * The pictures of a report: small copies of pictures and frames, made in decode children, and the maps that analyses drew.
 * Keyed by the report's names. Pictures that cannot be made are missing.
 */
async function previewsOf(
  app: CustodyParts,
  principal: Principal,
  records: readonly EvidenceRecord[],
  signal: AbortSignal,
): Promise<Pictures> {
  const pictures = new Map<string, string>();
  for (const one of records) {
    const { record, result, originalMember } = one;
    signal.throwIfAborted();
    const { identifier, hash } = record;
    const analysisId = app.store.read.records.get(identifier)?.analysisId ?? '';
    const artifact = (file: string) => app.store.artifacts.pathOf(analysisId, file);
    if (record.kind === 'image' && result !== null) {
      const path = app.store.blobs.pathOf(hash);
      const source = { owner: hash, name: 'preview', sourcePath: path, isOriginal: true };
      if (originalMember !== null) await addPreview(app, principal, source, identifier, pictures);
      for (const layer of record.heatmapLayers) {
        pictures.set(`${identifier}/${layer}`, artifact(HEATMAPS[layer].file));
      }
    }
    if (record.kind !== 'video' || result?.kind !== 'video') continue;
    const sheet = await sheetOf(app, principal, one);
    if (sheet !== null) pictures.set(sheetPicture(identifier), sheet);
    for (const frame of mostSuspicious(record)) {
      const index = result.frames.findIndex((one) => one.identifier === frame.identifier);
      const file = result.frames[index]?.file;
      if (file === undefined) continue;
      const name = `frame-${index}-preview`;
      const source = { owner: analysisId, name, sourcePath: artifact(file), isOriginal: false };
      await addPreview(app, principal, source, frame.identifier, pictures);
    }
  }
  return pictures;
}

/** Path of a video's contact sheet; null if there is none, or none can be made now. */
async function sheetOf(
  app: CustodyParts,
  principal: Principal,
  { record }: EvidenceRecord,
): Promise<string | null> {
  const order = sheetOrder(app, record);
  return order && (await makePreview(app, principal, order));
}

async function addPreview(
  app: CustodyParts,
  principal: Principal,
  source: Omit<FileOrder, 'kind'>,
  name: string,
  pictures: Map<string, string>,
): Promise<void> {
  const path = await makePreview(app, principal, { ...source, kind: 'preview' });
  if (path !== null) pictures.set(name, path);
}

async function makePreview(
  app: CustodyParts,
  principal: Principal,
  order: RenditionOrder,
): Promise<string | null> {
  const whose = { accountId: principal.account.id, waitMs: PREVIEW_WAIT_MS };
  const view = await app.renditions.open(order, whose).catch(() => null);
  return view?.state === 'ready' ? (view.rendition.files[0]?.path ?? null) : null;
}
