/** False finds of watermarks in human pictures and their variants; `--part N/M` for some. Exit code 1 on a find. */
import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { MARKED_PIXELS_MIN, WATERMARK_MESSAGES } from '../../src/domain/media/open-watermarks.ts';
import { openPicture } from '../../src/worker/pictures/picture-file.ts';
import { toPicture } from '../../src/worker/pictures/pixels.ts';
import { countErrors } from '../../src/worker/steps/invisible-watermarks.ts';
import { sharedData } from '../shared-data.ts';

const SIDE_MIN = 256;
/** As phones and cameras send them to a newsroom, scaled down so that a round takes minutes. */
const PIXELS_MAX = 4_000_000;

type Variant = (picture: Sharp, side: { width: number; height: number }) => Sharp | Promise<Sharp>;

const again = async (picture: Sharp): Promise<Sharp> => sharp(await picture.toBuffer());
const scaled =
  (share: number): Variant =>
  (picture, { width }) =>
    picture.resize(Math.round(width * share));
const cropped =
  (right: number, down: number): Variant =>
  (picture, { width, height }) =>
    picture.extract({ left: right, top: down, width: width - right, height: height - down });

const VARIANTS: Readonly<Record<string, Variant>> = {
  'as found': (picture) => picture,
  mirrored: (picture) => picture.flop(),
  'upside down': (picture) => picture.flip(),
  'turned by 90': (picture) => picture.rotate(90),
  'turned by 180': (picture) => picture.rotate(180),
  'turned by 270': (picture) => picture.rotate(270),
  'jpeg 90': (picture) => again(picture.jpeg({ quality: 90 })),
  'jpeg 75': (picture) => again(picture.jpeg({ quality: 75 })),
  'jpeg 60': (picture) => again(picture.jpeg({ quality: 60 })),
  'webp 80': (picture) => again(picture.webp({ quality: 80 })),
  'mirrored, jpeg 80': (picture) => again(picture.flop().jpeg({ quality: 80 })),
  'scaled .9': scaled(0.9),
  'scaled .75': scaled(0.75),
  'scaled 1.3': scaled(1.3),
  'cropped 3, 5': cropped(3, 5),
  'cropped 4, 2': cropped(4, 2),
  'cropped 1, 7': cropped(1, 7),
};

const [part = 0, parts = 1] = (process.argv.at(-1) ?? '').split('/').map(Number).filter(Number.isFinite);
const rows = (await readFile(sharedData('whole', 'files.tsv'), 'utf8')).trim().split('\n').slice(1);
const files = rows.map((row) => row.split('\t')).filter(([label]) => label === 'human');

let looked = 0;
let finds = 0;
const least = WATERMARK_MESSAGES.map(({ bits }) => bits.length);
for (const [index, row] of files.entries()) {
  if (index % parts !== part) continue;
  const path = sharedData('whole', row[3] ?? '');
  const [width, height] = [Number(row[4]), Number(row[5])];
  const share = Math.min(1, Math.sqrt(PIXELS_MAX / (width * height)));
  const whole = await toPicture(openPicture(path, false).resize(Math.round(width * share)));
  if (Math.min(whole.width, whole.height) < SIDE_MIN) continue;
  for (const [name, change] of Object.entries(VARIANTS)) {
    const raw = sharp(whole.rgb, { raw: { width: whole.width, height: whole.height, channels: 3 } });
    const picture = await toPicture(await change(raw, whole));
    if (picture.width * picture.height < MARKED_PIXELS_MIN) continue;
    looked += 1;
    for (const [at, errors] of countErrors(picture).entries()) {
      least[at] = Math.min(least[at] ?? 0, errors);
      if (errors > (WATERMARK_MESSAGES[at]?.errorsMax ?? 0)) continue;
      finds += 1;
      process.stdout.write(`found in ${row[3]}, ${name}: ${WATERMARK_MESSAGES[at]?.id}, ${errors} wrong\n`);
    }
  }
}
process.stdout.write(`${looked} pictures without a mark, ${finds} finds\n`);
for (const [at, { id, bits, errorsMax }] of WATERMARK_MESSAGES.entries()) {
  process.stdout.write(
    `${id}: ${least[at]} of ${bits.length} wrong at the least; a find has at most ${errorsMax}\n`,
  );
}
if (finds > 0) process.exitCode = 1;
