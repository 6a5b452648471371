/** An evidence package as a stream. Its export is recorded in a transaction before its signature is given away. */
import { AppError } from '../../domain/errors.ts';
import { readingOfRecord, withExport } from '../../domain/records/exported-reading.ts';
import { RULES_VERSION } from '../../domain/verdicts/rules-version.ts';
import { VERSION } from '../../domain/version.ts';
import type { EvidenceRecord } from '../../evidence/evidence-record.ts';
import { type PackagePlan, type SignedPackage, writePackage } from '../../evidence/package-writer.ts';
import { auditLine } from '../accounts/audit.ts';
import type { CustodyParts } from '../custody/parts.ts';
import { countFiles, type Draft, payloadOf, toIso } from './evidence-payload.ts';
import { boundsOf, gatherRecords } from './evidence-records.ts';
import { type ExportInput, parseExport } from './export-input.ts';
import { orderTimestamps } from './timestamps.ts';

export interface ExportProgress {
  files: number;
  /** The approximate number of files. */
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

const REFUSED_MAX = 3;

/** Throws `bad_field`, `classification`, `not_ended`, `damaged` before the first byte; calls `report` after each file. */
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

/** A rotten original is reported before the package begins: half a package helps no one. */
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

/** The attestation's statement: the findings of each file, and their rules. */
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
      tx.log.appendAudit(auditLine(app, principal, 'evidence.export', identifier, details));
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
