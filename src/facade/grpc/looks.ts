/** Looks at a file, which is neither kept nor analysed: its marks, and what is like it. */
import { searchByFile } from '../../app/records/search-pictures.ts';
import { readMarks } from '../../app/submissions/read-marks.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { MarksService } from '../../grpc/gen/assay/v1/marks_service_pb.ts';
import { SearchService } from '../../grpc/gen/assay/v1/search_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, upload } from './calls.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { lookAtUpload } from './uploads.ts';

export function markHandlers(context: GrpcContext): Pick<Handlers<typeof MarksService>, 'readMarks'> {
  const { app } = context;
  const { readMarks: method } = MarksService.method;
  return {
    readMarks: upload(context, method, async ({ principal, messages, signal }) => {
      const input = { principal, messages, expected: 'a file' };
      const read = await lookAtUpload(app, input, signal, (file) => readMarks(app, file, signal));
      return toMessage(method.output, read, EXCEPTIONS);
    }),
  };
}

export function searchHandlers(context: GrpcContext): Pick<Handlers<typeof SearchService>, 'findByPicture'> {
  const { app } = context;
  const { findByPicture: method } = SearchService.method;
  return {
    findByPicture: upload(context, method, async ({ principal, messages, signal }) => {
      const input = { principal, messages, expected: 'a picture' };
      const search = await lookAtUpload(app, input, signal, (file) => searchByFile(app, file, signal));
      return toMessage(method.output, { search });
    }),
  };
}
