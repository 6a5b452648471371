/** A search with a picture that is not kept. */
import { searchByFile } from '../../app/records/search-pictures.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { SearchService } from '../../grpc/gen/assay/v1/search_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { type GrpcContext, upload } from './calls.ts';
import { lookAtUpload } from './uploads.ts';

const { method } = SearchService;

export function searchHandlers(context: GrpcContext): Pick<Handlers<typeof SearchService>, 'findByPicture'> {
  const { app } = context;
  return {
    findByPicture: upload(context, method.findByPicture, async ({ principal, messages, signal }) => {
      const input = { principal, messages, expected: 'a picture' };
      const search = await lookAtUpload(app, input, signal, (file) => searchByFile(app, file, signal));
      return toMessage(method.findByPicture.output, { search });
    }),
  };
}
