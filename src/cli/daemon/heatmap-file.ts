/** Saves a record's maps beside those of others, each complete or not at all. */
import { createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Classification, HeatmapLayer } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import type { AssayClient } from './client.ts';

const SUFFIXES: Readonly<Record<HeatmapLayer, string>> = {
  [HeatmapLayer.UNSPECIFIED]: 'heatmap',
  [HeatmapLayer.ORIGIN]: 'heatmap',
  [HeatmapLayer.TAMPERING]: 'tampering',
  [HeatmapLayer.TAMPERING_RELIABILITY]: 'tampering-reliability',
};

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

/** Files of the same name from different folders get part of their identifier. */
async function saveLayer(
  client: AssayClient,
  record: Classification,
  layer: HeatmapLayer,
  folder: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  // A name from another client is not trusted to stay inside the folder.
  const name = basename(record.name.replaceAll('\\', '/')) || record.identifier;
  const plain = join(folder, `${name}.${SUFFIXES[layer]}.png`);
  const path = (await exists(plain))
    ? join(folder, `${name}.${record.identifier.slice(0, 12)}.${SUFFIXES[layer]}.png`)
    : plain;
  const temporary = `${path}.${record.identifier.slice(0, 12)}.part`;
  try {
    const chunks = readLayer(client, record.identifier, layer);
    await pipeline(Readable.from(chunks, { objectMode: true }), createWriteStream(temporary));
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
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

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
