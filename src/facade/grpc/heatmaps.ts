/** A map of a picture: the stored PNG in pieces. */
import { createReadStream } from 'node:fs';
import { getHeatmap } from '../../app/records/classifications.ts';
import type { HeatmapLayer } from '../../domain/media/heatmap.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { HeatmapLayerSchema } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { download, type GrpcContext } from './calls.ts';
import { fromEnum } from './enums.ts';

const CHUNK_BYTES = 256 * 1024;

export function heatmapHandlers(
  context: GrpcContext,
): Pick<Handlers<typeof ClassificationService>, 'getHeatmap'> {
  const { getHeatmap: method } = ClassificationService.method;
  return {
    getHeatmap: download(context, method, async function* ({ principal, request, signal }) {
      const layer = fromEnum<HeatmapLayer>(HeatmapLayerSchema, request.layer, 'layer');
      const { path } = await getHeatmap(context.app, { principal, identifier: request.identifier, layer });
      for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) {
        yield { chunk };
      }
    }),
  };
}
