/** A re-score as a document: what would change and why, signed like evidence packages. */
import { Readable } from 'node:stream';
import { RULES_VERSION } from '../../domain/verdicts/rules-version.ts';
import { VERSION } from '../../domain/version.ts';
import { RESCORE_TYPE } from '../../evidence/attestation.ts';
import { MEMBERS, RESCORE_MEMBER } from '../../evidence/members.ts';
import { type PayloadMember, type SignedPackage, writePackage } from '../../evidence/package-writer.ts';
import { toHtmlReport } from '../../evidence/report/html-report.ts';
import { REPORT_LANGUAGES } from '../../evidence/report/language.ts';
import { writePdfReport } from '../../evidence/report/pdf-process.ts';
import { toRescoreReport } from '../../evidence/report/rescore-report.ts';
import { auditLine } from '../accounts/audit.ts';
import type { CustodyParts } from '../custody/parts.ts';
import { parseChoice } from '../field-parsers.ts';
import type { RecordParts } from '../records/parts.ts';
import { type Rescored, type RescoreInput, rescore } from '../records/rescore.ts';
import { orderTimestamps } from './timestamps.ts';

export interface RescoreDocumentInput extends RescoreInput {
  language?: string | undefined;
}

/** Each record as `rescore` reports it, then the document's zip in pieces. Administrators only; leaves an audit line. */
export function rescoreWithDocument(
  app: CustodyParts,
  input: RescoreDocumentInput,
  signal: AbortSignal,
): AsyncGenerator<Rescored | { document: Buffer }> {
  const language = parseChoice({ language: input.language }, 'language', REPORT_LANGUAGES) ?? 'en';
  return reportThenWrite(app, { ...input, language }, rescore(app as RecordParts, input, signal), signal);
}

async function* reportThenWrite(
  app: CustodyParts,
  { principal, language }: RescoreInput & { language: (typeof REPORT_LANGUAGES)[number] },
  rescored: AsyncGenerator<Rescored>,
  signal: AbortSignal,
): AsyncGenerator<Rescored | { document: Buffer }> {
  const lines: Rescored[] = [];
  for await (const line of rescored) {
    lines.push(line);
    yield line;
  }
  const createdAt = app.clock.now();
  const key = app.signingKeys.current();
  const { fingerprint } = key;
  const { name: packedBy } = principal.account;
  const box = app.config.publicUrl;
  const report = toRescoreReport({ language, lines, createdAt, packedBy, box, fingerprint });
  const about = { assayVersion: VERSION, rulesVersion: RULES_VERSION, records: lines.length };
  const stamp = new Date(createdAt / 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  const plan = {
    folder: `assay-rescore-${stamp}`,
    createdAt,
    key,
    predicateType: RESCORE_TYPE,
    payload: payloadOf(),
    info: [['Bag-Software-Agent', `Assay ${VERSION}`] as const],
    predicate: { ...about, madeBy: box, changes: lines.filter(({ changes }) => changes).length },
    beforeSignature: ({ tagManifestSha256, signature }: SignedPackage) =>
      app.store.transact((tx) => {
        const details = { records: String(lines.length) };
        tx.log.appendAudit(auditLine(app, principal, 'evidence.rescore', tagManifestSha256, details));
        const { id: accountId } = principal.account;
        orderTimestamps(app, tx, { tagManifestSha256, signature, accountId, identifiers: [] });
      }),
    report: () => {},
  };
  async function* payloadOf(): AsyncGenerator<PayloadMember> {
    const json = `${JSON.stringify({ format: 1, ...about, lines }, null, 2)}\n`;
    yield { path: RESCORE_MEMBER, open: () => Readable.from([Buffer.from(json)]), isCompressible: true };
    yield { path: MEMBERS.reportHtml, open: () => toHtmlReport(report, new Map()), isCompressible: true };
    yield {
      path: MEMBERS.reportPdf,
      open: () => writePdfReport(report, new Map(), signal),
      isCompressible: false,
    };
  }
  for await (const document of writePackage(plan, signal)) yield { document };
}
