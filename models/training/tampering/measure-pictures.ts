/**
 * Stage 9: what the appliance's own code measures of whole pictures, each by the network that has not seen its source.
 * Usage: node measure-pictures.ts WORK [SECONDS]. Reads WORK/edits and WORK/graphs/fold-N/model.onnx, adds a line per
 * picture to WORK/picture-features.jsonl; run again, it goes on where it stopped.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import { measurePicture } from '../../../src/domain/media/picture-evidence.ts';
import { findRepeatedParts } from '../../../src/domain/media/repeated-parts.ts';
import { placeTiles, splitTiles } from '../../../src/domain/media/tampering-score.ts';
import { toPicture } from '../../../src/worker/pictures/pixels.ts';
import { cutTile } from '../../../src/worker/steps/tampering-tiles.ts';

/** As in card.py. */
const VIEW = { type: 'tiles', size: 176, align: 8, cell: 8, countMax: 400, frameCountMax: 48 } as const;
const [work, seconds = '1e9'] = process.argv.slice(2);
if (work === undefined) throw new Error('usage: measure-pictures.ts WORK [SECONDS]');
const until = Date.now() + Number(seconds) * 1000;
const output = join(work, 'picture-features.jsonl');
const sessions = new Map<string, InferenceSession>();

async function openFold(fold: string): Promise<InferenceSession> {
  const known = sessions.get(fold);
  if (known !== undefined) return known;
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const path = join(work ?? '', 'graphs', `fold-${fold}`, 'model.onnx');
  const session = await InferenceSession.create(path, options);
  sessions.set(fold, session);
  return session;
}

async function measure(file: string, fold: string): Promise<Record<string, number>> {
  const picture = await toPicture(sharp(join(work ?? '', 'edits', file)));
  const { width, height } = picture;
  const positions = placeTiles(width, height, VIEW);
  const session = await openFold(fold);
  const tile = Buffer.alloc(VIEW.size ** 2 * 3);
  const rows: Float32Array[] = [];
  for (const position of positions) {
    cutTile(picture, position, VIEW.size, tile);
    const plane = VIEW.size ** 2;
    const pixels = Float32Array.from({ length: 3 * plane }, (_, at) => {
      return (tile[(at % plane) * 3 + Math.floor(at / plane)] ?? 0) / 255;
    });
    const { evidence } = await session.run({
      pixels: new Tensor('float32', pixels, [1, 3, VIEW.size, VIEW.size]),
    });
    rows.push(evidence?.data as Float32Array);
  }
  const values = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    values.set(row, at);
    at += row.length;
  }
  const places = { positions, size: VIEW.size, cell: VIEW.cell };
  const repeats = findRepeatedParts(picture.rgb, width, height);
  return { ...measurePicture(places, splitTiles(values, VIEW), repeats), tiles: positions.length };
}

/** An edited picture and its twin lie side by side, pairs in an order that has nothing to do with their names. */
function orderOf(file: string): string {
  return createHash('sha256')
    .update(basename(file, extname(file)))
    .digest('hex');
}

const [head = '', ...lines] = readFileSync(join(work, 'edits', 'files.tsv'), 'utf8')
  .trim()
  .split('\n');
const columns = head.split('\t');
const known = existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [];
const done = new Set(known.filter(Boolean).map((line) => (JSON.parse(line) as { file: string }).file));
const pictures = lines.map((line) => {
  const cells = line.split('\t');
  return { file: cells[columns.indexOf('file')] ?? '', fold: cells[columns.indexOf('fold')] ?? '' };
});
pictures.sort((a, b) => (orderOf(a.file) < orderOf(b.file) ? -1 : 1));
for (const { file, fold } of pictures) {
  if (done.has(file)) continue;
  if (Date.now() > until) break;
  appendFileSync(output, `${JSON.stringify({ file, ...(await measure(file, fold)) })}\n`);
}
