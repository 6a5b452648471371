/** Gathers a record's data for a package; another's record is as absent as an unknown one. */
import { AppError } from '../../domain/errors.ts';
import { figuresOf } from '../../domain/packs/measured-figures.ts';
import { packKey } from '../../domain/packs/model-pack.ts';
import type { OuterManifest } from '../../domain/provenance/outer-manifest.ts';
import { readModelCard } from '../../engine/packs/model-card.ts';
import { custodyMemberOf, type RecordCustody } from '../../evidence/custody-members.ts';
import type { EvidenceModel, EvidenceRecord } from '../../evidence/evidence-record.ts';
import { MEMBERS, RECORD_MEMBERS, recordFolder, safeFileName } from '../../evidence/members.ts';
import type { Store } from '../../store/store.ts';
import type { Principal } from '../callers/principal.ts';
import { proveCustody, proveEarlierHeads } from '../custody/custody.ts';
import type { CustodyParts } from '../custody/parts.ts';
import { allowedClassification } from '../records/classifications.ts';
import { findingsOf } from '../records/judging.ts';
import { readingOf, toRecord } from '../records/record.ts';
import type { ExportOrder } from './export-input.ts';

/** Throws `classification`, and `not_ended` if one is still being analysed, before a byte is written. */
export async function gatherRecords(app: CustodyParts, order: ExportOrder): Promise<EvidenceRecord[]> {
  const { principal, identifiers } = order;
  const own = identifiers.map((identifier) =>
    allowedClassification(app, { principal, identifier }, 'export'),
  );
  const records = own.map((classification) => ({ classification, record: toRecord(app, classification) }));
  for (const { record } of records) {
    if (record.status === 'new') {
      throw new AppError('not_ended', `the record ${record.identifier} is still being analysed`);
    }
  }
  const gathered: EvidenceRecord[] = [];
  for (const [index, { classification, record }] of records.entries()) {
    const { hash, name, analysisId, identifier } = classification;
    const analysis = app.store.read.analyses.get(analysisId);
    const result = record.status === 'done' ? (analysis?.result ?? null) : null;
    const isThere = hash !== '' && app.store.blobs.isThere(hash);
    const folder = recordFolder(index, own.length, identifier);
    const manifest = manifestOf(app.store, identifier);
    const overrides = hash === '' ? [] : findingsOf(app.store.read, classification);
    const custody = await custodyOf(app, principal, identifier);
    const manifestPath = `${folder}${RECORD_MEMBERS.manifest}${safeFileName(name)}.c2pa`;
    gathered.push({
      record,
      result,
      custody,
      custodyMember: custodyMemberOf(folder),
      reading: readingOf(app, classification),
      overrides,
      models: (analysis?.models ?? []).map((key) => modelOf(app, key, analysis?.modelDigests?.[key])),
      manifestMember: manifest && { path: manifestPath, sha256: manifest.hash },
      originalMember: isThere ? `${folder}${RECORD_MEMBERS.original}${safeFileName(name)}` : null,
    });
  }
  return gathered;
}

/** The manifest outside the record's file; null if there is none, or it is gone. */
export function manifestOf({ read }: Pick<Store, 'read'>, identifier: string): OuterManifest | null {
  return read.outerManifests.of(read.records.get(identifier)?.analysisId ?? '') ?? null;
}

/** Oldest first, as a reader follows it. */
async function custodyOf(
  app: CustodyParts,
  principal: Principal,
  identifier: string,
): Promise<RecordCustody> {
  const { checkpoint, size, entries } = await proveCustody(app, { principal, identifier });
  return {
    checkpoint,
    size,
    earlier: proveEarlierHeads(app, size),
    entries: entries.map(({ entry, inclusion }) => ({ ...entry, inclusion })).reverse(),
  };
}

/** A version that is not installed any more is named by its record. */
function modelOf(app: CustodyParts, key: string, digest = ''): EvidenceModel {
  const [id = key, version = ''] = key.split('@');
  const installed = app.shelf.installed.find(({ pack }) => packKey(pack) === key);
  if (installed === undefined) {
    const unknown = { name: id, task: '', sha256: digest, licence: '', source: '', trainedOn: '' };
    return { id, version, ...unknown, figures: [], isInstalled: false, cardMember: null };
  }
  const { name, task, sha256, licence, source, trainedOn } = installed.pack;
  return {
    id,
    version,
    name,
    task,
    sha256,
    licence,
    source,
    trainedOn,
    figures: figuresOf(installed.pack),
    isInstalled: true,
    cardMember: `${MEMBERS.cards}${id}-${version}.md`,
  };
}

/** Each model once, over all records. */
export function modelsOf(records: readonly EvidenceRecord[]): EvidenceModel[] {
  const all = records.flatMap(({ models }) => models);
  return [...new Map(all.map((model) => [`${model.id}@${model.version}`, model])).values()];
}

/** Null if the pack brings none. */
export async function cardOf(app: CustodyParts, { id }: EvidenceModel): Promise<string | null> {
  try {
    return await readModelCard(app.shelf.installed, id);
  } catch (error) {
    if (error instanceof AppError && error.reason === 'model') return null;
    throw error;
  }
}

/** Each model's bounds, as they were applied to this record. */
export function boundsOf({ result }: EvidenceRecord): object[] {
  if (result === null) return [];
  return result.runs.map(
    ({ model, version, cautiousThreshold, inconclusiveLow, inconclusiveHigh, together }) => ({
      model,
      version,
      cautiousThreshold,
      inconclusiveLow,
      inconclusiveHigh,
      together: together ?? null,
    }),
  );
}
