/** A person's correction of a file. */
import { overrideClassification, overrideHistory, removeOverride } from '../../app/records/overrides.ts';
import type { Label } from '../../domain/media/media.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { LabelSchema } from '../../grpc/gen/assay/v1/media_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, unary } from './calls.ts';
import { fromEnum, requireKind } from './enums.ts';

const { method } = ClassificationService;

export function overrideHandlers(
  context: GrpcContext,
): Pick<
  Handlers<typeof ClassificationService>,
  'overrideClassification' | 'removeOverride' | 'listOverrides'
> {
  const { app } = context;
  return {
    overrideClassification: unary(context, method.overrideClassification, async ({ principal, request }) => {
      const { hash, reason } = request;
      const kind = requireKind(request.kind, 'kind');
      const classification = fromEnum<Label>(LabelSchema, request.classification, 'classification');
      const input = { principal, kind, hash, classification, reason };
      return toMessage(method.overrideClassification.output, await overrideClassification(app, input));
    }),
    removeOverride: unary(context, method.removeOverride, async ({ principal, request }) => {
      const kind = requireKind(request.kind, 'kind');
      const removed = await removeOverride(app, { principal, kind, hash: request.hash });
      return toMessage(method.removeOverride.output, removed);
    }),
    listOverrides: unary(context, method.listOverrides, ({ principal, request }) => {
      const kind = requireKind(request.kind, 'kind');
      const overrides = overrideHistory(app, { principal, kind, hash: request.hash });
      return toMessage(method.listOverrides.output, { overrides });
    }),
  };
}
