/** A person's correction of a file. */
import { overrideClassification, overrideHistory, removeOverride } from '../../app/records/overrides.ts';
import type { Override } from '../../domain/records/classification.ts';
import type { OverrideResult } from '../../domain/records/record.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { type GrpcContext, unary } from './calls.ts';
import { fromLabel, KIND, LABEL, requireKind } from './enums.ts';

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
      const classification = fromLabel(request.classification, 'classification');
      return toOverride(await overrideClassification(app, { principal, kind, hash, classification, reason }));
    }),
    removeOverride: unary(context, method.removeOverride, async ({ principal, request }) => {
      const kind = requireKind(request.kind, 'kind');
      return toOverride(await removeOverride(app, { principal, kind, hash: request.hash }));
    }),
    listOverrides: unary(context, method.listOverrides, ({ principal, request }) => {
      const kind = requireKind(request.kind, 'kind');
      return { overrides: overrideHistory(app, { principal, kind, hash: request.hash }).map(toEntry) };
    }),
  };
}

function toOverride({ classification, type, hash }: OverrideResult) {
  return { classification: LABEL[classification], type: KIND[type], hash };
}

function toEntry({ classification, reason, at, byAccountId, measured }: Override) {
  return {
    reason,
    classification: LABEL[classification],
    at: toTimestamp(at),
    byAccountId: BigInt(byAccountId),
    ...(measured === null ? {} : { measured: LABEL[measured] }),
  };
}
