/** Behaviours of validation, lists, overrides and results, each a row that run-rows.ts runs through every facade. */
import { createHash } from 'node:crypto';
import type { MediaKind } from '../../src/domain/media/media.ts';
import { makeClip, makePicture, makeSpeech } from '../interface/media.ts';
import type { OperationCase } from './accounts/account-cases.ts';
import type { CommonRecord } from './media-record.ts';
import { type Caller, granted, mapValue, type SubmitOptions } from './ways/caller.ts';

const UNKNOWN = '0'.repeat(64);
const identifiers = (count: number): string[] => Array.from({ length: count }, () => UNKNOWN);

async function ended(
  caller: Caller,
  kind: MediaKind,
  bytes: Uint8Array,
  options: SubmitOptions = {},
): Promise<CommonRecord> {
  return granted(await caller.classify(kind, bytes, options));
}

/** What is the same for every submission of the bytes. */
function outlineOf({ status, verdict, verdicts, results, clips, images, audios }: CommonRecord): object {
  return {
    status,
    classification: verdict?.classification,
    heuristics: verdicts.map(({ heuristic }) => heuristic),
    models: results.map(({ model }) => model).sort(),
    ...{ clips: clips.length, images: images.length, audios: audios.length },
  };
}

const HEURISTICS = ['balanced', 'cautious', 'sensitive', 'majority'];
const nothing = { models: [], clips: 0, images: 0, audios: 0 };

export const MEDIA_CASES: OperationCase[] = [
  {
    name: 'a picture comes to its verdict',
    act: async ({ callers }) => ({
      value: outlineOf(await ended(callers.plain, 'image', await makePicture({ isBright: false }))),
    }),
    gives: {
      ...{ ...nothing, status: 'done', classification: 'human', heuristics: HEURISTICS },
      models: ['tiny-coarse', 'tiny-fine'],
    },
  },
  {
    name: 'a video comes to its verdict, with frames and track',
    act: async ({ callers }) => {
      const video = makeClip({ withSound: 'aac' as never });
      const record = await ended(callers.plain, 'video', video, { frames: 5, withAudio: true });
      return { value: outlineOf(record) };
    },
    gives: {
      ...{ ...nothing, status: 'done', classification: 'artificial', heuristics: HEURISTICS },
      ...{ images: 5, audios: 1 },
    },
  },
  {
    name: 'speech comes to its verdict, with clips',
    act: async ({ callers }) => ({
      value: outlineOf(await ended(callers.plain, 'audio', makeSpeech({ seconds: 5 }))),
    }),
    gives: {
      ...{ ...nothing, status: 'done', classification: 'artificial', heuristics: HEURISTICS },
      ...{ models: ['tiny-speech'], clips: 1 },
    },
  },
  {
    name: 'validation of a picture',
    act: async ({ callers }) => {
      const result = await callers.plain.validate('image', await makePicture({ width: 300, height: 240 }));
      return mapValue(result, ({ filesize, ...rest }) => ({ ...rest, hasSize: filesize > 0 }));
    },
    gives: {
      ...{ valid: true, mimetype: 'image/png', width: 300, height: 240, hasSize: true },
      models: ['tiny-coarse', 'tiny-fine'],
    },
  },
  {
    name: 'validation of speech: no width and no height',
    act: async ({ callers }) =>
      mapValue(await callers.plain.validate('audio', makeSpeech()), ({ filesize: _size, ...rest }) => rest),
    gives: { ...{ valid: true, mimetype: 'audio/flac', width: null, height: null }, models: ['tiny-speech'] },
  },
  {
    name: 'validation of a video with its track',
    act: async ({ callers }) => {
      const result = await callers.plain.validate('video', makeClip(), { withAudio: true });
      return mapValue(result, ({ filesize: _size, ...rest }) => rest);
    },
    gives: {
      ...{ valid: true, mimetype: 'video/mp4', width: 320, height: 256 },
      models: ['tiny-coarse', 'tiny-fine', 'tiny-speech'],
    },
  },
  {
    name: 'validation stores and charges nothing',
    act: async ({ callers: { other } }) => {
      granted(await other.validate('image', await makePicture()));
      return { value: [granted(await other.list('image')), granted(await other.credits())] };
    },
    gives: [[], { available: 0, spent: 0 }],
  },
  {
    name: 'validation: a picture below a model’s minimum',
    act: async ({ callers }) => await callers.plain.validate('image', await makePicture({ height: 150 })),
    ...{ gives: null, refuses: 'below_minimum' },
  },
  {
    name: 'validation of a video of few lines',
    act: async ({ callers }) => {
      const result = await callers.plain.validate('video', makeClip({ height: 208 }));
      return mapValue(result, ({ filesize: _size, ...rest }) => rest);
    },
    gives: {
      ...{ valid: true, mimetype: 'video/mp4', width: 320, height: 208 },
      models: ['tiny-coarse', 'tiny-fine'],
    },
  },
  {
    name: 'validation: a picture as a video',
    act: async ({ callers }) => await callers.plain.validate('video', await makePicture()),
    ...{ gives: null, refuses: 'unsupported_media_type' },
  },
  {
    name: 'validation: no model for an option',
    act: async ({ callers }) =>
      await callers.plain.validate('image', await makePicture(), { withTampering: true }),
    ...{ gives: null, refuses: 'no_models' },
  },
  {
    name: 'validation: a kind that the plan does not enable',
    act: ({ callers }) => callers.images.validate('video', makeClip()),
    ...{ gives: null, refuses: 'not_enabled' },
  },
  {
    name: 'a list of 100 identifiers, none of them known, is empty',
    act: ({ callers }) => callers.plain.readMany('image', identifiers(100)),
    gives: [],
  },
  {
    name: 'a list of 101 identifiers is refused',
    act: ({ callers }) => callers.plain.readMany('image', identifiers(101)),
    ...{ gives: null, refuses: 'list_too_long' },
  },
  {
    name: 'a list leaves out what is foreign or of another kind',
    act: async ({ callers: { plain, other } }) => {
      const foreign = granted(await other.submit('image', await makePicture()));
      const sound = granted(await plain.submit('audio', makeSpeech()));
      return await plain.readMany('image', [foreign, sound, UNKNOWN]);
    },
    gives: [],
  },
  {
    name: 'a foreign record is as absent as an unknown one',
    act: async ({ callers: { plain, other } }) => {
      const foreign = granted(await other.submit('image', await makePicture()));
      return await plain.read('image', foreign);
    },
    ...{ gives: null, refuses: 'classification' },
  },
  ...(['image', 'video', 'audio'] as const).map((kind): OperationCase => {
    const make = { image: makePicture, video: makeClip, audio: makeSpeech }[kind];
    return {
      name: `an override of a file (${kind})`,
      act: async ({ callers: { plain } }) => {
        const bytes = await make();
        granted(await plain.submit(kind, bytes));
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        const { hash, ...rest } = granted(await plain.override(kind, sha256, 'human'));
        return { value: { ...rest, isOfFile: hash === sha256 } };
      },
      gives: { classification: 'human', type: kind, isOfFile: true },
    };
  }),
  {
    name: 'an override of a file that was not submitted',
    act: ({ callers }) => callers.plain.override('image', UNKNOWN, 'human'),
    ...{ gives: null, refuses: 'classification' },
  },
  {
    name: 'an override of what is no hash',
    act: ({ callers }) => callers.plain.override('image', 'xyz', 'human'),
    ...{ gives: null, refuses: 'bad_field' },
  },
  {
    name: 'an override by a read-only account',
    act: ({ callers }) => callers.viewer.override('image', UNKNOWN, 'human'),
    ...{ gives: null, refuses: 'read_only' },
  },
];
