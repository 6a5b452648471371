/**
 * What the face detector finds, by the daemon's own code: `node bench/face-detector.ts MODEL FOLDER... ` where MODEL is
 * the ONNX file in the data folder. Per prefix of the file names: pictures, the share with a face, faces a picture.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { findFaces } from '../src/domain/faces.ts';
import { type FaceDetectorPack, modelPackSchema } from '../src/domain/model-pack.ts';
import { placeViews } from '../src/domain/views.ts';
import { toViewSet } from '../src/engine/content-packs.ts';
import { toLoadedPack } from '../src/engine/packs.ts';
import { openSource } from '../src/worker/inference/item-source.ts';
import { type BatchPack, PackSession } from '../src/worker/inference/pack-session.ts';
import { writeViewSet } from '../src/worker/steps/views.ts';

const BATCH_MAX = 16;
const CPU = { provider: 'cpu', precision: 'full' } as const;
const [modelPath, ...folders] = process.argv.slice(2);
if (modelPath === undefined || folders.length === 0)
  throw new Error('usage: node bench/face-detector.ts MODEL FOLDER...');

const description = join(import.meta.dirname, '../models/face-detector/model.json');
const pack = modelPackSchema.parse(JSON.parse(readFileSync(description, 'utf8'))) as FaceDetectorPack;
const loaded = toLoadedPack({ pack, modelPath }) as BatchPack;
const session = await PackSession.open(loaded, CPU, { threads: 1, batchMax: BATCH_MAX });
const folder = mkdtempSync(join(tmpdir(), 'assay-faces-'));

async function countFaces(path: string): Promise<number> {
  const image = sharp(path).rotate().flatten({ background: '#ffffff' }).toColourspace('srgb').removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const picture = { width: info.width, height: info.height, rgb: data };
  const { file } = await writeViewSet(picture, toViewSet(pack), folder);
  const views = placeViews(info.width, info.height, pack.view);
  const count = views.length;
  using source = openSource(loaded.input, {
    ...{ type: 'infer', id: 1, pack: loaded.key, count },
    path: join(folder, file),
  });
  const values = new Float32Array(count * loaded.outputLength);
  for (let first = 0; first < count; first += BATCH_MAX) {
    const taken = Math.min(BATCH_MAX, count - first);
    source.write(first, taken, session.place(0));
    values.set(await session.run(taken), first * loaded.outputLength);
  }
  return findFaces(values, views, picture, { ...pack.output, size: pack.view.size }).length;
}

const tally = new Map<string, { pictures: number; withFace: number; faces: number }>();
for (const path of folders.flatMap((name) => globSync(join(name, '*.{jpg,png,webp}')).sort())) {
  const source = basename(path).replace(/-[^-]*$/, '');
  const line = tally.get(source) ?? { pictures: 0, withFace: 0, faces: 0 };
  const faces = await countFaces(path);
  line.pictures += 1;
  line.withFace += faces > 0 ? 1 : 0;
  line.faces += faces;
  tally.set(source, line);
}
for (const [source, { pictures, withFace, faces }] of tally) {
  const share = (withFace / pictures).toFixed(3);
  console.log([source, pictures, share, (faces / pictures).toFixed(2)].join('\t'));
}
await session.release();
rmSync(folder, { recursive: true });
