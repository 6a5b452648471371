import { exportEvidence } from '../../app/evidence/export-evidence.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { EvidenceService } from '../../grpc/gen/assay/v1/evidence_service_pb.ts';
import { download, type GrpcContext } from './calls.ts';

const { method } = EvidenceService;

export function evidenceHandlers(
  context: GrpcContext,
): Pick<Handlers<typeof EvidenceService>, 'exportEvidence'> {
  return {
    exportEvidence: download(context, method.exportEvidence, async function* (caller) {
      const { principal, request, signal } = caller;
      const { identifiers, title, notes, language } = request;
      const input = { principal, identifiers, fields: { title, notes, language } };
      let reported = 0;
      let progress = { files: 0, filesTotal: 0, bytes: 0 };
      const made = await exportEvidence(context.app, input, signal, (next) => {
        progress = next;
      });
      yield { payload: { case: 'header' as const, value: { name: made.name } } };
      for await (const chunk of made.bytes) {
        yield { payload: { case: 'chunk' as const, value: chunk } };
        if (progress.files === reported) continue;
        reported = progress.files;
        yield {
          payload: { case: 'progress' as const, value: { ...progress, bytes: BigInt(progress.bytes) } },
        };
      }
    }),
  };
}
