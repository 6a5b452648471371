/**
 * Lays the models of the npm packages as TensorFlow.js keeps them, JSON with shards of bytes beside it, one folder per
 * model: `node unpack.ts OUT`. nsfwjs carries its models as scripts, each shard a base64 text.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const PACKAGES = join(import.meta.dirname, 'node_modules');
const MODELS = {
  nsfw: 'nsfwjs/dist/models/mobilenet_v2/model.min.js',
  inception: 'nsfwjs/dist/models/inception_v3/model.min.js',
  'face-detector': '@vladmandic/human/models/blazeface.json',
};
const SCRIPT_ENDING = '.min.js';

const modelFile = z.looseObject({ weightsManifest: z.array(z.looseObject({ paths: z.array(z.string()) })) });

function unpack(path: string, out: string): void {
  const isScript = path.endsWith(SCRIPT_ENDING);
  const load = createRequire(path);
  const content = modelFile.parse(isScript ? load(path) : JSON.parse(readFileSync(path, 'utf8')));
  mkdirSync(out, { recursive: true });
  for (const name of content.weightsManifest.flatMap(({ paths }) => paths)) {
    const shard = join(dirname(path), name);
    const bytes = isScript
      ? Buffer.from(z.string().parse(load(`${shard}${SCRIPT_ENDING}`)), 'base64')
      : readFileSync(shard);
    writeFileSync(join(out, name), bytes);
  }
  writeFileSync(join(out, 'model.json'), JSON.stringify(content));
}

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('usage: node unpack.ts OUT');
for (const [name, path] of Object.entries(MODELS)) {
  unpack(join(PACKAGES, path), join(out, name));
  console.log(`${name}: ${path}`);
}
