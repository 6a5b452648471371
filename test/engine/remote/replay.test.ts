import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import sharp from 'sharp';
import { loadSettings } from '../../../src/config/settings.ts';
import { packKey } from '../../../src/domain/packs/model-pack.ts';
import { type AnalysisOptions, DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import type { AnalysisResult } from '../../../src/domain/verdicts/result.ts';
import type { Findings } from '../../../src/domain/verdicts/tentative.ts';
import type { AnalysisFiles, Attempt } from '../../../src/engine/analyses/analysis-parts.ts';
import { ChildExecutor } from '../../../src/engine/executors/child-executor.ts';
import type { Note } from '../../../src/engine/executors/noted-children.ts';
import { resolveModels } from '../../../src/engine/packs/resolve-models.ts';
import { ChildAnswers, floatsToText, noteBatch, replay } from '../../../src/engine/remote/child-answers.ts';
import { openTrustLists } from '../../../src/machinery/trust/trust-lists.ts';
import { BUILT_IN_MODELS } from '../../app/open-app.ts';
import { makeClip, makeSpeech } from '../../interface/media.ts';
import { makeSound } from '../../media/make-media.ts';
import { readTalk } from '../../media/talk.ts';
import { layModelChecks } from '../../model-checks.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const skip = skipWithoutSharedData('face');
const SIDES = { width: 512, height: 512 };
const PICTURE = { withMorphing: true, withTampering: true, withHeatmap: true, withNsfw: true };
const TERMS = {
  trust: openTrustLists({
    folder: join(import.meta.dirname, '../../../trust'),
    settingPem: '',
    settingFile: null,
  }).material(),
  stability: true,
  analysisTimeoutMs: 600_000,
};

interface Measured {
  attempt: Attempt;
  result: AnalysisResult;
  notes: Note[];
  kept: Map<string, { hash: string; sizeBytes: number }>;
}

const stack = new AsyncDisposableStack();
after(async () => await stack.disposeAsync());
let executor: ChildExecutor;
let folder: string;
let media: Record<'portrait' | 'voice' | 'talk' | 'film', Measured>;

before(async () => {
  if (skip) return;
  ({ path: folder } = stack.use(await makeTemporaryFolder()));
  layModelChecks(folder);
  const env = { ...BUILT_IN_MODELS, ASSAY_DATA_DIR: folder, ASSAY_DECODE_ISOLATION: 'any' };
  const { engine } = loadSettings({ argv: [], env, readFile: (path) => readFileSync(path, 'utf8') });
  const config = { ...engine, ...TERMS, trust: () => TERMS.trust };
  const silent = () => {};
  const quiet = { analysisEnded: silent, stepTimed: silent, workerDied: silent };
  const observer = { ...quiet, queueChanged: silent, videoDecoded: silent };
  executor = stack.use(
    new ChildExecutor(
      { ...config, diskFreeBytesMin: 0, checksAllPacksAtOnce: false },
      { log: pino({ level: 'silent' }), observer, changed: silent },
    ),
  );
  await executor.start();
  await executor.loadPacks();
  const face = await readFile(sharedData('face', 'human', 'obs-0010.jpg'));
  const cut = await sharp(face)
    .resize({ ...SIDES, fit: 'cover' })
    .removeAlpha()
    .raw()
    .toBuffer();
  const paint = (index: number, rgb: Buffer): void => {
    cut.copy(rgb);
    rgb.fill((index * 16) % 256, 0, 300);
  };
  const recipe = { container: 'flac', codec: 'flac' as const as never, rate: 16_000, channels: 2 };
  const clip = makeClip({ ...SIDES, seconds: 4, paint, withSound: 'aac' as const as never });
  media = {
    portrait: await measure('image', await sharp(face).resize({ width: 700 }).jpeg().toBuffer(), PICTURE),
    voice: await measure('audio', makeSpeech({ channels: 2, seconds: 12 }), {}),
    talk: await measure('audio', makeSound({ ...recipe, ...(await readTalk()) }), { withTranscript: true }),
    film: await measure('video', clip, { ...PICTURE, withAudio: true, frames: 5, ensureFacePerFrame: true }),
  };
});

async function measure(
  kind: AnalysisResult['kind'],
  bytes: Uint8Array,
  asked: Partial<AnalysisOptions>,
): Promise<Measured> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const path = join(folder, hash);
  await writeFile(path, bytes);
  const options = { ...DEFAULT_OPTIONS, ...asked };
  // The small model takes a third of the large one's time.
  const usable = executor.shelf.usable?.filter(({ pack }) => pack.id !== 'whisper-small') ?? [];
  const models = resolveModels(usable, kind, options, { models: 'all' }).map(packKey);
  const attempt: Attempt = {
    ...{ id: hash, analysis: { id: hash, kind, hash, options, models } },
    ...{ report: () => {}, stepTimed: () => {}, found: () => {}, seen: () => {} },
    signal: new AbortController().signal,
  };
  const kept: Measured['kept'] = new Map();
  const files: AnalysisFiles = {
    blobs: {
      pathOf: () => path,
      checks: {
        async *read(_hash, { path: from = path } = {}) {
          yield await readFile(from);
        },
      },
    },
    artifacts: {
      async put(_id, name, source) {
        const digest = createHash('sha256');
        for await (const chunk of source.chunks()) digest.update(chunk);
        kept.set(name, { hash: digest.digest('hex'), sizeBytes: source.sizeBytes });
      },
    },
  };
  const notes: Note[] = [];
  // Notes cross the network as JSON.
  const { result } = await executor.execute(attempt, files, (note) =>
    notes.push(JSON.parse(JSON.stringify(note, floatsToText))),
  );
  return { attempt, result, notes, kept };
}

function open({ attempt, kept }: Measured, attemptParts: Partial<Attempt> = {}) {
  const answers = new ChildAnswers();
  const blobs = { pathOf: () => '' } as unknown as AnalysisFiles['blobs'];
  const files: AnalysisFiles = { blobs, artifacts: { put: async () => {} } };
  const job = { attempt: { ...attempt, ...attemptParts }, files, answers, kept };
  const findPack = (key: string) => executor.shelf.find(key);
  const [closed, heldSeconds] = [new AbortController(), () => 1000];
  return { answers, replayed: replay({ ...job, findPack, closed, heldSeconds }, TERMS) };
}

test('a portrait, a voice, a talk and a film follow from their answers to the last digit', {
  skip,
}, async () => {
  for (const [name, measured] of Object.entries(media)) {
    const { answers, replayed } = open(measured);
    answers.take(noteBatch.parse({ from: 0, notes: measured.notes }));
    answers.end();
    assert.deepEqual(await replayed, measured.result, name);
  }
  // Every axis that was asked for has an answer.
  const { portrait, talk, film } = media;
  assert.ok(portrait.result.kind === 'image' && talk.result.kind === 'audio' && film.result.kind === 'video');
  const { detections, tampering, nsfw, stability, hasHeatmap } = portrait.result;
  assert.ok(detections.length > 0 && tampering && nsfw !== null && stability.length > 0 && hasHeatmap);
  const channels = talk.result.transcript?.segments.map(({ channel }) => channel);
  assert.deepEqual(new Set(channels), new Set([1, 2]));
  assert.ok(film.result.tracks.length === 1 && film.result.frames.length > 1);
});

test('more is found with each answer, and what is sent twice counts once', { skip }, async () => {
  for (const [measured, found] of [
    [media.film, ({ frames }: Findings) => frames.length > 1],
    [media.voice, ({ clips }: Findings) => clips.length > 0],
  ] as const) {
    const seen: Findings[] = [];
    const { answers, replayed } = open(measured, { found: (findings) => seen.push(findings) });
    for (const at of measured.notes.keys()) {
      const from = Math.max(0, at - 1);
      answers.take({ from, notes: measured.notes.slice(from, at + 1) });
      await nextTurn();
    }
    assert.ok(seen.some(found));
    answers.end();
    assert.deepEqual(await replayed, measured.result);
  }
});

type Answer = Record<string, unknown>;
type Lie = (notes: Note[], kept: Measured['kept']) => unknown;

const lengthOf = (text: unknown) => Buffer.from(String(text), 'base64').length / 4;
const floats = (count: number, value: number) => floatsToText('', new Float32Array(count).fill(value));
const atFirst = (notes: readonly Note[], is: (answer: Answer) => boolean): number => {
  const at = notes.findIndex(({ answer }) => is(answer as Answer));
  assert.ok(at >= 0);
  return at;
};
const changeFirst =
  (is: (answer: Answer) => boolean, change: (answer: Answer) => object): Lie =>
  (notes) => {
    const answer = notes[atFirst(notes, is)]?.answer as Answer;
    Object.assign(answer, change(answer));
  };
const hasFigures = (answer: Answer) => 'logits' in answer;
const isPicture = (answer: Answer) => 'image' in answer;
const isFrame = ({ type }: Answer) => type === 'frame';
const setFigures = (change: object) => changeFirst(hasFigures, () => change);
const withoutTile = ({ image }: Answer) => {
  const { patchSets } = image as { patchSets: { name: string; positions: object[] }[] };
  patchSets.find(({ name }) => name.startsWith('tiles-'))?.positions.pop();
  return {};
};
const FOREIGN = { hash: '0'.repeat(64), sizeBytes: 1 };

const LIES: readonly (readonly [of: keyof typeof media, sentence: RegExp, lie: Lie])[] = [
  ['portrait', /decode-image was asked and not answered/, (notes) => notes.splice(0)],
  ['portrait', /infer of .* asked and not answered/, (notes) => notes.splice(atFirst(notes, hasFigures), 1)],
  ['portrait', /infer of .*: .*logits/, setFigures({ logits: floats(1, 0) })],
  ['portrait', /infer of .*: logits/, setFigures({ logits: 'a <b>word</b>' })],
  ['portrait', /took 1000000 s, at most/, setFigures({ elapsedMs: 1e9 })],
  ['portrait', /infer of .*: device/, setFigures({ device: 'a great <b>machine</b>' })],
  ['portrait', /decode-image was answered by what is no/, changeFirst(isPicture, () => ({ probe: {} }))],
  ['portrait', /what is no answer/, changeFirst(isPicture, () => ({ image: { width: 0 } }))],
  ['portrait', /other tiles than it was asked for/, changeFirst(isPicture, withoutTile)],
  ['portrait', /the file heatmap\.png did not come/, (_, kept) => kept.delete('heatmap.png')],
  ['voice', /the file note\.txt came/, (_, kept) => kept.set('note.txt', FOREIGN)],
  [
    'voice',
    /detect-speech of .* probabilities/,
    changeFirst(
      (answer) => 'probabilities' in answer,
      ({ probabilities }) => ({ probabilities: floats(lengthOf(probabilities), 2) }),
    ),
  ],
  [
    'talk',
    /transcribe of .*language/,
    changeFirst(
      (answer) => 'text' in answer,
      ({ text }) => ({ text: { ...(text as object), language: 'klingon' } }),
    ),
  ],
  [
    'film',
    /more frames than it was asked for/,
    (notes) => {
      const at = atFirst(notes, isFrame);
      notes.splice(at, 0, ...Array<Note>(5).fill(notes[at] as Note));
    },
  ],
  ['film', /the file frame-0\.png is another/, (_, kept) => kept.set('frame-0.png', FOREIGN)],
  ['film', /the file track\.flac did not come/, (_, kept) => kept.delete('track.flac')],
];

test('answers that do not fit the question give no result', { skip }, async () => {
  for (const [of, sentence, lie] of LIES) {
    const { notes, kept, ...rest } = media[of];
    const changed = { ...rest, notes: structuredClone(notes), kept: new Map(kept) };
    lie(changed.notes, changed.kept);
    const { answers, replayed } = open(changed);
    const refused = assert.rejects(replayed, sentence);
    answers.take({ from: 0, notes: changed.notes });
    answers.end();
    await refused;
  }
});

test('a model that gave no number leaves its run unknown, as on the own box', { skip }, async () => {
  const { voice } = media;
  const { answers, replayed } = open(voice);
  const notes = structuredClone(voice.notes);
  for (const { answer } of notes) {
    const said = answer as Answer;
    if (hasFigures(said)) said.logits = floats(lengthOf(said.logits), Number.NaN);
  }
  answers.take({ from: 0, notes });
  answers.end();
  const { runs } = await replayed;
  assert.ok(runs.length > 0 && runs.every(({ reason }) => reason === 'The model gave no number.'));
});
