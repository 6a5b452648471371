/** A person's correction of a file, and another person's sign-off of it. */
import { overrideClassification, overrideHistory, removeOverride } from '../../app/records/overrides.ts';
import { answerSignOff, askSignOff } from '../../app/records/sign-offs.ts';
import type { Label } from '../../domain/media/media.ts';
import { fromTimestamp } from '../../domain/time.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { LabelSchema } from '../../grpc/gen/assay/v1/media_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, unary } from './calls.ts';
import { toClassification } from './convert.ts';
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

export function signOffHandlers(
  context: GrpcContext,
): Pick<Handlers<typeof ClassificationService>, 'askSignOff' | 'answerSignOff'> {
  const { app } = context;
  return {
    askSignOff: unary(context, method.askSignOff, async ({ principal, request: { identifier } }) => {
      return { classification: toClassification(await askSignOff(app, { principal, identifier })) };
    }),
    answerSignOff: unary(context, method.answerSignOff, async ({ principal, request }) => {
      const { identifier, agrees, reason } = request;
      const findingAt = request.findingAt === undefined ? 0 : fromTimestamp(request.findingAt);
      const record = await answerSignOff(app, { principal, identifier, findingAt, agrees, reason });
      return { classification: toClassification(record) };
    }),
  };
}
