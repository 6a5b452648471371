/** The marks of a file, which is neither kept nor analysed. */
import { readMarks } from '../../app/submissions/read-marks.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { MarksService } from '../../grpc/gen/assay/v1/marks_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, upload } from './calls.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { lookAtUpload } from './uploads.ts';

const { method } = MarksService;

export function markHandlers(context: GrpcContext): Pick<Handlers<typeof MarksService>, 'readMarks'> {
  const { app } = context;
  return {
    readMarks: upload(context, method.readMarks, async ({ principal, messages, signal }) => {
      const input = { principal, messages, expected: 'a file' };
      const read = await lookAtUpload(app, input, signal, (file) => readMarks(app, file, signal));
      return toMessage(method.readMarks.output, read, EXCEPTIONS);
    }),
  };
}
