/** Evidence packages as a stream, and the keys that sign them. */
import { exportEvidence } from '../../../app/evidence/export-evidence.ts';
import { listEvidenceKeys, rotateEvidenceKey } from '../../../app/evidence/signing-keys.ts';
import { getPackageTimestamps } from '../../../app/evidence/timestamps.ts';
import type { Handlers } from '../../../grpc/definition.ts';
import { EvidenceService } from '../../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { download, type GrpcContext, unary } from '../calls.ts';

const { method } = EvidenceService;

export function evidenceHandlers(context: GrpcContext): Handlers<typeof EvidenceService> {
  const { app } = context;
  return {
    exportEvidence: download(context, method.exportEvidence, async function* (caller) {
      const { principal, request, signal } = caller;
      const { identifiers, title, notes, language } = request;
      const input = { principal, identifiers, fields: { title, notes, language } };
      let told = 0;
      let progress = { files: 0, filesTotal: 0, bytes: 0 };
      const made = await exportEvidence(app, input, signal, (next) => {
        progress = next;
      });
      yield { payload: { case: 'header' as const, value: { name: made.name } } };
      for await (const chunk of made.bytes) {
        yield { payload: { case: 'chunk' as const, value: chunk } };
        if (progress.files === told) continue;
        told = progress.files;
        yield {
          payload: { case: 'progress' as const, value: { ...progress, bytes: BigInt(progress.bytes) } },
        };
      }
    }),
    getPackageTimestamps: unary(context, method.getPackageTimestamps, ({ principal, request }) => {
      const { packageSha256 } = request;
      const { requests, nextAttemptAt } = getPackageTimestamps(app, { principal, packageSha256 });
      return toMessage(method.getPackageTimestamps.output, { timestamps: requests, nextAttemptAt });
    }),
    listEvidenceKeys: unary(context, method.listEvidenceKeys, () =>
      toMessage(method.listEvidenceKeys.output, { keys: listEvidenceKeys(app) }),
    ),
    rotateEvidenceKey: unary(context, method.rotateEvidenceKey, async ({ principal }) =>
      toMessage(method.rotateEvidenceKey.output, { keys: await rotateEvidenceKey(app, { principal }) }),
    ),
  };
}
