/**
 * Finds the faces of a list of pictures with the appliance's own detector, and keeps each with its surroundings at
 * native resolution.
 *
 * usage: node find-faces.ts DETECTOR_ONNX LIST OUT_FOLDER
 * DETECTOR_ONNX: the model that the appliance makes at its first start, DATA/models/face-detector/model.onnx.
 * LIST: one path of a picture a line. Writes OUT_FOLDER/faces.bin (RGB, one region after the other) and
 * OUT_FOLDER/found.json: the picture's place in the list, its size, the box, the region and its offset.
 */
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { placeViews, type View } from '../../../src/domain/media/views.ts';
import { type Face, findFaces } from '../../../src/domain/verdicts/faces.ts';
import { openSource } from '../../../src/worker/inference/item-source.ts';
import { PackSession } from '../../../src/worker/inference/pack-session.ts';
import { writeViewSet } from '../../../src/worker/steps/views.ts';

const DETECTOR = join(import.meta.dirname, '../../face-detector/model.json');
/** Values that the detector says of a view. */
const VIEW_VALUES = 896 * 17;
const BATCH = 16;
/** Smaller ones have nothing to learn from. */
const FACE_SIDE_MIN_PX = 48;
/** Side of the region in sides of the face: room for a square of 1.6 sides that is not quite centred. */
const REGION_SIDES = 2.2;

interface Picture {
  width: number;
  height: number;
  rgb: Buffer;
}

async function openDetector(modelPath: string) {
  const pack = JSON.parse(await readFile(DETECTOR, 'utf8'));
  const { mean, std } = pack.input;
  const input = { kind: 'patches' as const, name: pack.input.name, mean, std, size: pack.view.size };
  const model = { key: 'face-detector', modelPath, input, outputName: pack.output.name };
  const session = await PackSession.open(
    { ...model, outputLength: VIEW_VALUES, golden: pack.golden },
    { provider: 'cpu', precision: 'full' },
    { threads: 1, batchMax: BATCH },
  );
  return { pack, input, session };
}

type Detector = Awaited<ReturnType<typeof openDetector>>;

async function readPicture(path: string): Promise<Picture> {
  const { data, info } = await sharp(path)
    .rotate()
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

async function detect({ pack, input, session }: Detector, picture: Picture, folder: string): Promise<Face[]> {
  const request = { name: 'view', layout: pack.view, kernel: pack.view.kernel };
  const set = await writeViewSet(picture, request, folder);
  const views = placeViews(picture.width, picture.height, pack.view);
  using source = openSource(input, {
    type: 'infer',
    id: 1,
    pack: 'face-detector',
    path: join(folder, set.file),
    count: views.length,
  });
  const values = new Float32Array(views.length * VIEW_VALUES);
  for (let first = 0; first < views.length; first += BATCH) {
    const count = Math.min(BATCH, views.length - first);
    source.write(first, count, session.place(0));
    values.set(await session.run(count), first * VIEW_VALUES);
  }
  const rule = { ...pack.output, size: pack.view.size };
  return findFaces(values, views, picture, rule).filter(
    ({ box }) => Math.min(box.x2 - box.x1, box.y2 - box.y1) >= FACE_SIDE_MIN_PX,
  );
}

function regionOf({ box }: Face, { width, height }: Picture): View {
  const half = (Math.max(box.x2 - box.x1, box.y2 - box.y1) * REGION_SIDES) / 2;
  const x = Math.max(0, Math.floor((box.x1 + box.x2) / 2 - half));
  const y = Math.max(0, Math.floor((box.y1 + box.y2) / 2 - half));
  const right = Math.min(width, Math.ceil((box.x1 + box.x2) / 2 + half));
  const bottom = Math.min(height, Math.ceil((box.y1 + box.y2) / 2 + half));
  return { x, y, width: right - x, height: bottom - y };
}

function cut({ width, rgb }: Picture, region: View): Buffer {
  const rows = Array.from({ length: region.height }, (_, row) => {
    const start = ((region.y + row) * width + region.x) * 3;
    return rgb.subarray(start, start + region.width * 3);
  });
  return Buffer.concat(rows);
}

const [modelPath, list, outFolder] = process.argv.slice(2);
if (modelPath === undefined || list === undefined || outFolder === undefined)
  throw new Error('usage: node find-faces.ts DETECTOR_ONNX LIST OUT_FOLDER');
const paths = (await readFile(list, 'utf8')).split('\n').filter((line) => line !== '');
const detector = await openDetector(modelPath);
const found: object[] = [];
let offset = 0;
{
  await using output = await open(join(outFolder, 'faces.bin'), 'w');
  for (const [index, path] of paths.entries()) {
    const picture = await readPicture(path);
    for (const face of await detect(detector, picture, outFolder)) {
      const region = regionOf(face, picture);
      await output.writeFile(cut(picture, region));
      const { width, height } = picture;
      found.push({ index, width, height, box: face.box, score: face.score, region, offset });
      offset += region.width * region.height * 3;
    }
    if (index % 500 === 0) console.log(`${index} of ${paths.length} pictures, ${found.length} faces`);
  }
}
await writeFile(join(outFolder, 'found.json'), JSON.stringify(found));
console.log(`${found.length} faces in ${paths.length} pictures, ${offset} bytes`);
