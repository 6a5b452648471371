/** Saves a record's heatmap beside the others, complete or not at all. */
import { createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Classification } from '../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../grpc/gen/assay/v1/classification_service_pb.ts';
import type { AssayClient } from './client.ts';

/** Writes `<name>.heatmap.png`; files of the same name from different folders get part of their identifier. */
export async function saveHeatmap(
  client: AssayClient,
  record: Classification,
  folder: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  // A name from another client is not trusted to stay inside the folder.
  const name = basename(record.name.replaceAll('\\', '/')) || record.identifier;
  const plain = join(folder, `${name}.heatmap.png`);
  const path = (await exists(plain))
    ? join(folder, `${name}.${record.identifier.slice(0, 12)}.heatmap.png`)
    : plain;
  const temporary = `${path}.${record.identifier.slice(0, 12)}.part`;
  try {
    const chunks = readHeatmap(client, record.identifier);
    await pipeline(Readable.from(chunks, { objectMode: true }), createWriteStream(temporary));
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}

async function* readHeatmap(client: AssayClient, identifier: string): AsyncGenerator<Uint8Array> {
  for await (const { chunk } of client.receive(ClassificationService.method.getHeatmap, { identifier })) {
    yield chunk;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
