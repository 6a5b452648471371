/**
 * How often the face detector misses a portrait's face and finds one in a picture without faces, by the daemon's own code:
 * `node bench/face-detector.ts MODEL DATA`. MODEL is the ONNX file in the data folder; DATA has portraits in
 * `face/human`, and pictures in `image` and `whole`, whose `files.tsv` name their kinds.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { wilson } from '../evaluate/rate-interval.ts';
import { placeViews } from '../src/domain/media/views.ts';
import { type FaceDetectorPack, modelPackSchema } from '../src/domain/packs/model-pack.ts';
import { findFaces } from '../src/domain/verdicts/faces.ts';
import { toViewSet } from '../src/engine/analyses/axis.ts';
import { toLoadedPack } from '../src/engine/packs/installed-packs.ts';
import { openSource } from '../src/worker/inference/item-source.ts';
import { type BatchPack, PackSession } from '../src/worker/inference/pack-session.ts';
import { writeViewSet } from '../src/worker/steps/views.ts';

const BATCH_MAX = 16;
const READABLE = /\.(jpe?g|png|webp)$/i;
const CPU = { provider: 'cpu', precision: 'full' } as const;
/** These pictures show no human face. */
const FACELESS_KINDS: readonly string[] = [
  ...['microscopy', 'satellite', 'satellite and maps screenshots', 'astronomy images, screenshots'],
  ...['scanned documents', 'scanned documents/receipts', 'desktop UI screenshots'],
  ...['phone photos of paper sketches', 'food', 'food product shots', 'food (phone photos in store)'],
  ...['product shots on white', 'product photos (phone, craft)', 'product / electronics photos'],
  ...['objects on tarmac (camera)', 'object photos (ukbench)', 'camera, objects', 'photogrammetry'],
  ...['underwater photos (nature)', 'phone photos, water', 'landscape web photos'],
  ...['wallpapers (nature, macro)', 'house / garden (phone)', 'interior, low light (camera)'],
  ...['street/architecture', 'driving', 'game textures, landscapes', 'CGI (rendered city tiles)'],
];
/** The normal quantile of a two-sided interval of 95 %. */
const [modelPath, data] = process.argv.slice(2);
if (modelPath === undefined || data === undefined)
  throw new Error('usage: node bench/face-detector.ts MODEL DATA');

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

function listFaceless(folder: string): string[] {
  const [head = '', ...rows] = readFileSync(join(folder, 'files.tsv'), 'utf8').trim().split('\n');
  const names = head.split('\t');
  return rows.flatMap((row) => {
    const cells = row.split('\t');
    const cell = (name: string) => cells[names.indexOf(name)] ?? '';
    const isTaken = cell('label') === 'human' && FACELESS_KINDS.includes(cell('kind'));
    return isTaken && READABLE.test(cell('file')) ? [join(folder, cell('file'))] : [];
  });
}

/** A share with Wilson's interval, which holds for few and for none too. */
function shareOf(count: number, total: number): string {
  const [low, high] = wilson(count / total, total);
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  return `${count} of ${total}: ${percent(count / total)} (${percent(low)} to ${percent(high)})`;
}

async function listWrong(paths: readonly string[], hasFace: boolean): Promise<string[]> {
  const wrong: string[] = [];
  for (const path of paths) if ((await countFaces(path)) > 0 !== hasFace) wrong.push(basename(path));
  return wrong;
}

const portraits = globSync(join(data, 'face', 'human', '*.{jpg,png,webp}')).sort();
const faceless = ['image', 'whole'].flatMap((name) => listFaceless(join(data, name)));
const missed = await listWrong(portraits, true);
console.log(
  `no face found in a portrait: ${shareOf(missed.length, portraits.length)}\n  ${missed.join(' ')}`,
);
const found = await listWrong(faceless, false);
console.log(`a face found where none is: ${shareOf(found.length, faceless.length)}\n  ${found.join(' ')}`);
await session.release();
rmSync(folder, { recursive: true });
