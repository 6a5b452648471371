/** Saves a record's maps, each complete or not at all. */
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HEATMAP_LAYERS, HEATMAPS } from '../../domain/media/heatmap.ts';
import { type Classification, HeatmapLayer } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { PartialFile } from '../terminal/partial-file.ts';
import { wordOf } from '../views/enum-word.ts';
import type { AssayClient } from './client.ts';

/** Every map that was made: `<name>.heatmap.png`, `<name>.tampering.png`, `<name>.tampering-reliability.png`. */
export async function saveHeatmaps(
  client: AssayClient,
  record: Classification,
  folder: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (const layer of record.heatmapLayers) paths.push(await saveLayer(client, record, layer, folder));
  return paths;
}

async function saveLayer(
  client: AssayClient,
  record: Classification,
  layer: HeatmapLayer,
  folder: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await using file = await openFile(record, layer, folder);
  for await (const bytes of readLayer(client, record.identifier, layer)) await file.write(bytes);
  await file.keep();
  return file.path;
}

/** Files of the same name from different folders get part of their identifier. */
async function openFile(
  { name: given, identifier }: Classification,
  layer: HeatmapLayer,
  folder: string,
): Promise<PartialFile> {
  // A name from another client is not trusted to stay inside the folder.
  const name = basename(given.replaceAll('\\', '/')) || identifier;
  const word = HEATMAP_LAYERS.find((known) => known === wordOf(HeatmapLayer, layer)) ?? 'origin';
  const pathOf = (stem: string): string => join(folder, `${stem}.${HEATMAPS[word].file}`);
  const plain = await PartialFile.createFree(pathOf(name));
  return plain ?? (await PartialFile.replace(pathOf(`${name}.${identifier.slice(0, 12)}`)));
}

async function* readLayer(
  client: AssayClient,
  identifier: string,
  layer: HeatmapLayer,
): AsyncGenerator<Uint8Array> {
  const request = { identifier, layer };
  for await (const { chunk } of client.receive(ClassificationService.method.getHeatmap, request)) {
    yield chunk;
  }
}
