/**
 * The smallest server in this runtime: node:http, sharp and onnxruntime-node in one process. Arguments: the model, a
 * port. It does the work of `server.py`, digit by digit.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import sharp from 'sharp';

const SIZE = 128;
const SIDE_COUNT = 4;
const PLANE = SIZE * SIZE;

const [, , model = '', port] = process.argv;
const session = await InferenceSession.create(model);

async function judge(request: IncomingMessage): Promise<number> {
  const { data, info } = await sharp(await buffer(request))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const batch = new Float32Array(SIDE_COUNT * SIDE_COUNT * 3 * PLANE);
  for (let patch = 0; patch < SIDE_COUNT * SIDE_COUNT; patch++) {
    const left = placeOf(patch % SIDE_COUNT, info.width);
    const top = placeOf(Math.floor(patch / SIDE_COUNT), info.height);
    for (let at = 0; at < PLANE; at++) {
      const pixel = ((top + Math.floor(at / SIZE)) * info.width + left + (at % SIZE)) * 3;
      for (let colour = 0; colour < 3; colour++) {
        batch[(patch * 3 + colour) * PLANE + at] = (data[pixel + colour] ?? 0) / 255;
      }
    }
  }
  const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]];
  const shape = [SIDE_COUNT * SIDE_COUNT, 3, SIZE, SIZE];
  const answer = await session.run({ [input]: new Tensor('float32', batch, shape) });
  const logits = Array.from(answer[output]?.data as Float32Array);
  return logits.reduce((sum, logit) => sum + logit, 0) / logits.length;
}

function placeOf(index: number, length: number): number {
  return Math.trunc((index * (length - SIZE)) / (SIDE_COUNT - 1));
}

createServer((request, response) => {
  judge(request).then(
    (logit) => response.end(JSON.stringify({ logit })),
    (error: unknown) => response.writeHead(422).end(String(error)),
  );
}).listen(Number(port), '127.0.0.1');
