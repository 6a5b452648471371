import { create } from '@bufbuild/protobuf';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import type { SeenBefore } from '../../domain/records/seen-before.ts';
import { type Classification, ClassificationSchema } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { EXCEPTIONS } from './exceptions.ts';

export function toClassification(
  record: ClassificationRecord & { seenBefore?: SeenBefore[]; seenAgain?: SeenBefore[] },
): Classification {
  return create(ClassificationSchema, toMessage(ClassificationSchema, record, EXCEPTIONS));
}
