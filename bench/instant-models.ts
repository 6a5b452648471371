/** The picture packs that come with Assay around models that answer at once: what is left of a picture's cost is Assay's own. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ImagePack,
  imageOutputLength,
  isFaceDetectorPack,
  isImagePack,
  isLabelsPack,
  isTamperingPack,
  type ModelPack,
  modelPackSchema,
} from '../src/domain/packs/model-pack.ts';
import { tileValues } from '../src/domain/packs/tampering-pack.ts';
import { ANCHOR_COUNT, ANCHOR_VALUES } from '../src/domain/verdicts/faces.ts';
import { OnnxGraph } from '../test/models/onnx-graph.ts';

const MODELS = join(import.meta.dirname, '..', 'models');
const NAMES = ['assay-transformer', 'assay-tampering', 'assay-faces', 'face-detector', 'nsfw'];
/** Each output is so much of the item's first value, plus so much. */
type Answers = { gains: Float32Array; offsets: Float32Array };

export async function writeInstantModels(folder: string): Promise<void> {
  for (const name of NAMES) {
    const described = JSON.parse(await readFile(join(MODELS, name, 'model.json'), 'utf8'));
    const pack = modelPackSchema.parse(described);
    const answers = answersOf(pack);
    const model = instantModel(pack, answers);
    const own = { sha256: createHash('sha256').update(model).digest('hex'), golden: goldenOf(pack, answers) };
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'model.onnx'), model);
    await writeFile(join(folder, name, 'model.json'), JSON.stringify({ ...described, ...own }));
    await writeFile(join(folder, name, 'CARD.md'), `# ${pack.name}, answering at once\n`);
  }
}

/** The values make some pictures clear, let others need copies, and show a face in some views. */
function answersOf(pack: ModelPack): Answers {
  if (isTamperingPack(pack)) return constant(tileValues(pack.view), -3);
  if (isLabelsPack(pack)) return constant(pack.output.labels.length, 0.1);
  if (isImagePack(pack)) return originAnswers(pack);
  if (!isFaceDetectorPack(pack)) return constant(1, -6);
  const answers = constant(ANCHOR_COUNT * ANCHOR_VALUES, -9);
  const middle = Math.floor(ANCHOR_COUNT / 2) * ANCHOR_VALUES;
  answers.gains[middle] = 12;
  answers.offsets.set([-8, 0, 0, 90, 90], middle);
  return answers;
}

/** Every picture is a photograph. */
function originAnswers(pack: ImagePack): Answers {
  const answers = constant(imageOutputLength(pack), -6);
  answers.gains[0] = 12;
  if (pack.media !== undefined) answers.offsets[1 + pack.media.indexOf('photograph')] = 6;
  return answers;
}

function constant(length: number, value: number): Answers {
  return { gains: new Float32Array(length), offsets: new Float32Array(length).fill(value) };
}

function instantModel(pack: ModelPack, { gains, offsets }: Answers): Uint8Array {
  const { size } = imageInputOf(pack);
  const graph = new OnnxGraph();
  const flat = graph.add('Reshape', ['pixels', graph.addInts('flat', [0, -1])], 'values');
  const place = [graph.addInts('from', [0]), graph.addInts('to', [1]), graph.addInts('axis', [1])];
  const first = graph.add('Slice', [flat, ...place], 'first');
  const scaled = graph.add('Mul', [first, graph.addFloats('gains', [gains.length], gains)], 'scaled');
  const offset = graph.addFloats('offsets', [offsets.length], offsets);
  const output = graph.add('Add', [scaled, offset], pack.output.name);
  const input = { name: 'pixels', dimensions: [3, size, size] };
  return graph.toBytes(pack.id, input, { name: output, dimensions: [offsets.length] });
}

/** The golden inputs begin with black. */
function goldenOf(pack: ModelPack, { gains, offsets }: Answers): ModelPack['golden'] {
  const { mean, std } = imageInputOf(pack);
  const black = -mean / std;
  return { seed: 1, tolerance: 0.01, items: 1, expected: [(gains[0] ?? 0) * black + (offsets[0] ?? 0)] };
}

function imageInputOf({ id, input, view }: ModelPack): { size: number; mean: number; std: number } {
  if (!('mean' in input) || !('size' in view)) throw new Error(`${id} takes no picture`);
  return { size: view.size, mean: input.mean[0], std: input.std[0] };
}
