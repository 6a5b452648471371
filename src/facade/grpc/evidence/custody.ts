/** The custody log: entries, proofs, verification. */
import { checkCustody, listCustody, proveCustody, redactCustody } from '../../../app/custody/custody.ts';
import { judgeCheckpoint } from '../../../app/custody/judge-checkpoint.ts';
import type { Handlers } from '../../../grpc/definition.ts';
import { CustodyService } from '../../../grpc/gen/assay/v1/custody_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { sequencePageOf } from '../accounts.ts';
import { type GrpcContext, unary } from '../calls.ts';

const { method } = CustodyService;

export function custodyHandlers(context: GrpcContext): Handlers<typeof CustodyService> {
  const { app } = context;
  return {
    listCustodyEntries: unary(context, method.listCustodyEntries, ({ principal, request }) => {
      const { identifier } = request;
      const entries = listCustody(app, { principal, identifier, ...sequencePageOf(request) });
      const last = entries.at(-1)?.sequence ?? 0;
      return toMessage(method.listCustodyEntries.output, {
        entries,
        nextPageToken: last > 0 ? String(last) : '',
      });
    }),
    verifyCustody: unary(context, method.verifyCustody, async ({ principal, signal }) =>
      toMessage(method.verifyCustody.output, await checkCustody(app, { principal }, signal)),
    ),
    proveCustody: unary(context, method.proveCustody, async ({ principal, request }) => {
      const { identifier, sinceSize } = request;
      const order = { principal, identifier, sinceSize: Number(sinceSize) };
      return toMessage(method.proveCustody.output, await proveCustody(app, order));
    }),
    judgeCheckpoint: unary(context, method.judgeCheckpoint, ({ principal, request: { checkpoint } }) =>
      toMessage(method.judgeCheckpoint.output, judgeCheckpoint(app, { principal, checkpoint })),
    ),
    redactCustody: unary(context, method.redactCustody, async ({ principal, request }) => {
      const { reason } = request;
      const sequences = request.sequences.map(Number);
      const redacted = await redactCustody(app, { principal, sequences, reason });
      return toMessage(method.redactCustody.output, { sequences: redacted });
    }),
  };
}
