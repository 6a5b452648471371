/** The pictures of a report: small copies of pictures and frames, made in decode children, and the maps that analyses drew. */
import { HEATMAP_FILES } from '../../domain/media/heatmap.ts';
import type { FileOrder, RenditionOrder } from '../../engine/decode/rendition-maker.ts';
import type { EvidenceRecord } from '../../evidence/evidence-record.ts';
import type { Pictures } from '../../evidence/report/blocks.ts';
import { mostSuspicious, sheetPicture } from '../../evidence/report/record-blocks.ts';
import type { Principal } from '../callers/principal.ts';
import type { CustodyParts } from '../custody/parts.ts';
import { sheetOrder } from '../records/renditions.ts';

/** A slower picture is left out: the report is read without it, and the file is in the package. */
const PREVIEW_WAIT_MS = 15_000;

/** Keyed by the report's names. Pictures that cannot be made are missing. */
export async function previewsOf(
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
        pictures.set(`${identifier}/${layer}`, artifact(HEATMAP_FILES[layer]));
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
export async function sheetOf(
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
