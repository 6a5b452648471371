import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../src/domain/errors.ts';
import type { MediaKind } from '../../../src/domain/media/media.ts';
import type { ModelPack, ModelTask } from '../../../src/domain/packs/model-pack.ts';
import { type AnalysisOptions, DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { resolveModels } from '../../../src/engine/packs/resolve-models.ts';

const pack = (id: string, task: ModelTask) => ({ pack: { id, task } as ModelPack });
const IMAGE = pack('image', 'image-origin');
const SPEECH = pack('speech', 'speech-origin');
const DETECTOR = pack('silero-vad', 'voice-activity');
const TAMPERING = pack('tampering', 'image-tampering');
const FACE = pack('face', 'face-origin');
const FACE_DETECTOR = pack('face-detector', 'face-detection');
const ALL = [IMAGE, SPEECH, DETECTOR];

interface Case {
  name: string;
  kind: MediaKind;
  installed?: readonly { pack: ModelPack }[];
  options?: Partial<AnalysisOptions>;
  models?: 'all' | string[];
  /** The ids of the models, or the text of the refusal. */
  expected: string[] | RegExp;
}

const CASES: readonly Case[] = [
  { name: 'a picture', kind: 'image', expected: ['image'] },
  { name: 'a sound', kind: 'audio', expected: ['speech', 'silero-vad'] },
  { name: 'a video', kind: 'video', expected: ['image'] },
  {
    ...{ name: 'a video with its sound', kind: 'video', options: { withAudio: true } },
    expected: ['image', 'speech', 'silero-vad'],
  },
  {
    ...{ name: 'a plan that names models has the detector too', kind: 'audio', models: ['speech'] },
    expected: ['speech', 'silero-vad'],
  },
  {
    ...{ name: 'a plan without a speech model', kind: 'audio', models: ['image'] },
    expected: /no installed model analyses audio/,
  },
  {
    ...{ name: 'a video with sound and no speech model', kind: 'video', options: { withAudio: true } },
    ...{ installed: [IMAGE, DETECTOR], expected: /^with_audio: .*speech-origin/ },
  },
  {
    ...{ name: 'an option of another kind is ignored', kind: 'image', options: { withAudio: true } },
    ...{ installed: [IMAGE], expected: ['image'] },
  },
  {
    ...{ name: 'an option that no model answers', kind: 'video', options: { withNsfw: true } },
    expected: /^with_nsfw: /,
  },
  {
    ...{ name: 'faces, which the detector has to find', kind: 'image', options: { withMorphing: true } },
    ...{ installed: [IMAGE, FACE, FACE_DETECTOR], models: ['image', 'face'] },
    expected: ['image', 'face', 'face-detector'],
  },
  {
    ...{ name: 'faces that are found and not judged', kind: 'image', options: { withMorphing: true } },
    ...{ installed: [IMAGE, FACE_DETECTOR], expected: /^with_morphing: no installed model .*face-origin/ },
  },
  {
    ...{ name: 'faces under a plan that leaves their model out', kind: 'image', models: ['image'] },
    ...{ options: { withMorphing: true }, installed: [IMAGE, FACE, FACE_DETECTOR] },
    expected: /^with_morphing: the plan allows no model for it \(face-origin\)/,
  },
  {
    ...{ name: 'edits of a picture', kind: 'image', options: { withTampering: true } },
    ...{ installed: [IMAGE, TAMPERING], expected: ['image', 'tampering'] },
  },
  {
    ...{ name: 'edits that no model looks for', kind: 'video', options: { withTampering: true } },
    expected: /^with_tampering: no installed model .*image-tampering/,
  },
  {
    ...{ name: 'edits under a plan that leaves the model out', kind: 'image', models: ['image'] },
    ...{ options: { withTampering: true }, installed: [IMAGE, TAMPERING] },
    expected: /^with_tampering: the plan allows no model for it/,
  },
  {
    ...{ name: 'a picture without a request for edits', kind: 'image', installed: [IMAGE, TAMPERING] },
    expected: ['image'],
  },
  { name: 'a video without an image model', kind: 'video', installed: [SPEECH], expected: /analyses video/ },
];

for (const { name, kind, installed = ALL, options = {}, models = 'all', expected } of CASES) {
  test(`models of ${name}`, () => {
    const resolve = () => resolveModels(installed, kind, { ...DEFAULT_OPTIONS, ...options }, { models });
    if (Array.isArray(expected)) {
      assert.deepEqual(
        resolve().map(({ id }) => id),
        expected,
      );
      return;
    }
    assert.throws(resolve, (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.reason, 'no_models');
      assert.match(error.message, expected);
      return true;
    });
  });
}
