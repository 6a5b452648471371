/** The pictures of a report: small copies of pictures and frames, made in decode children, and the maps that analyses drew. */
import { HEATMAP_FILES } from '../../domain/media/heatmap.ts';
import type { EvidenceRecord } from '../../evidence/evidence-record.ts';
import type { Pictures } from '../../evidence/report/blocks.ts';
import { mostSuspicious } from '../../evidence/report/record-blocks.ts';
import type { Principal } from '../callers/principal.ts';
import type { EvidenceParts } from './parts.ts';

/** A picture that takes longer is left out: the report is read without it, and the file is in the package. */
const PREVIEW_WAIT_MS = 15_000;

/** By the names that the report gives them. What cannot be made is not in it. */
export async function previewsOf(
  app: EvidenceParts,
  principal: Principal,
  records: readonly EvidenceRecord[],
  signal: AbortSignal,
): Promise<Pictures> {
  const pictures = new Map<string, string>();
  for (const { record, result, originalMember } of records) {
    signal.throwIfAborted();
    const { identifier, hash } = record;
    const analysisId = app.store.read.classification(identifier)?.analysisId ?? '';
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

interface Source {
  owner: string;
  name: string;
  sourcePath: string;
  isOriginal: boolean;
}

async function addPreview(
  app: EvidenceParts,
  principal: Principal,
  source: Source,
  name: string,
  pictures: Map<string, string>,
): Promise<void> {
  const whose = { accountId: principal.account.id, waitMs: PREVIEW_WAIT_MS };
  const view = await app.engine.renditions.open({ ...source, kind: 'preview' }, whose).catch(() => null);
  if (view?.state !== 'ready') return;
  const [path] = Object.values(view.rendition.files);
  if (path !== undefined) pictures.set(name, path.path);
}
