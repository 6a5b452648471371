/** Results as real models measured them, and the files beside them, as a worker would bring them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { updatePlan } from '../../../src/app/accounts/plans.ts';
import { packKey } from '../../../src/domain/packs/model-pack.ts';
import type { Analysis } from '../../../src/domain/records/classification.ts';
import type {
  AnalysisResult,
  AudioResult,
  ImageResult,
  VideoResult,
} from '../../../src/domain/verdicts/result.ts';
import { type Brought, brought } from '../../../src/engine/remote/brought.ts';
import { faultOfResult } from '../../../src/engine/remote/judge-result.ts';
import type { JudgedJob } from '../../../src/engine/remote/judged-job.ts';
import { BUILT_IN_MODELS, type OpenApp, openApp } from '../../app/open-app.ts';
import { runCommand } from '../../cli/run-command.ts';
import { TEST_KEY } from '../../daemon.ts';
import { makeClip, makeSpeech } from '../../interface/media.ts';
import { makeSound } from '../../media/make-media.ts';
import { readTalk } from '../../media/talk.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { sharedData } from '../../shared-data.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const SIDES = { width: 512, height: 512 };

export interface Honest<R extends AnalysisResult> {
  job: JudgedJob;
  brought: Brought & { result: R };
}

export interface HonestResults {
  /** With faces, edits, a heatmap and NSFW. */
  portrait: Honest<ImageResult>;
  /** With no option. */
  plain: Honest<ImageResult>;
  voice: Honest<AudioResult>;
  /** Two voices, a channel each, with what they say. */
  talk: Honest<AudioResult>;
  /** With all of a portrait's options and a track. */
  film: Honest<VideoResult>;
}

/** Needs the collected faces. */
export async function measureHonestResults(): Promise<HonestResults> {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'data');
  await using home = await openApp({
    ...BUILT_IN_MODELS,
    ASSAY_ADMIN_API_KEY: TEST_KEY,
    ASSAY_DATA_DIR: data,
  });
  const { app, admin } = home;
  const fields = {
    morphing: true,
    tampering: true,
    heatmap: true,
    nsfw: true,
    audio_track: true,
    transcript: true,
  };
  await updatePlan(app, { principal: admin, id: 1, fields });
  while (app.engine.phase !== 'ready') await delay(50);
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
  const everything = ['--with-morphing', '--with-tampering', '--with-heatmap', '--with-nsfw'];
  const portrait = await measure<ImageResult>(
    home,
    'image',
    await sharp(face).resize({ width: 700 }).jpeg().toBuffer(),
    ...everything,
  );
  const plain = await measure<ImageResult>(
    home,
    'image',
    await sharp(face).resize({ width: 500 }).png().toBuffer(),
  );
  const voice = await measure<AudioResult>(home, 'audio', makeSpeech({ channels: 2, seconds: 12 }));
  const recipe = { container: 'flac', codec: 'flac' as const as never, rate: 16_000, channels: 2 };
  const recording = makeSound({ ...recipe, ...(await readTalk()) });
  const talk = await measure<AudioResult>(home, 'audio', recording, '--with-transcript');
  const clip = makeClip({ ...SIDES, seconds: 4, paint, withSound: 'aac' as const as never });
  const film = await measure<VideoResult>(
    home,
    'video',
    clip,
    ...everything,
    '--with-audio',
    '--frames',
    '5',
  );
  return { portrait, plain, voice, talk, film };
}

/** As a worker would bring it: the result that this box measured, and the files that it made. */
async function measure<R extends AnalysisResult>(
  home: OpenApp,
  kind: R['kind'],
  bytes: Uint8Array,
  ...options: string[]
): Promise<Honest<R>> {
  const { app } = home;
  const path = join(home.folder, `${kind}-${options.length}`);
  await writeFile(path, bytes);
  const connection = { address: home.daemon.grpc.address, key: TEST_KEY };
  const { code, out, err } = await runCommand(connection, ['classify', path, '--json', ...options]);
  assert.equal(code, 0, err);
  const { identifier } = JSON.parse(out);
  const analysisId = app.store.read.records.get(identifier)?.analysisId ?? '';
  const analysis = await ended(home, analysisId);
  const { result, options: asked, models } = analysis;
  assert.ok(result?.kind === kind, analysis.error);
  const packs = new Map(app.engine.installed.map((installed) => [packKey(installed.pack), installed]));
  const job: JudgedJob = {
    analysis: { kind, options: asked, models },
    heldSeconds: ((analysis.endedAt ?? 0) - analysis.queuedAt) / 1_000_000,
    ...{ findPack: (key) => packs.get(key), stability: true, kept: await filesOf(home, analysisId) },
  };
  const likeness = { hash: '0'.repeat(64), mirrored: '0'.repeat(64), quality: 50 };
  const times = result.kind === 'video' ? result.frames.map(({ timeSeconds }) => timeSeconds) : [null];
  const likenesses = kind === 'audio' ? [] : times.map((timeSeconds) => ({ likeness, timeSeconds }));
  const stepTimes = [...(analysis.stepTimes ?? [])];
  // What crosses is JSON.
  const crossed = JSON.parse(JSON.stringify({ result, stepTimes, likenesses }));
  return { job, brought: brought.parse(crossed) as Honest<R>['brought'] };
}

async function ended(home: OpenApp, analysisId: string): Promise<Analysis> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await delay(50)) {
    const analysis = home.app.store.read.analysis(analysisId);
    if (analysis?.state === 'done' || analysis?.state === 'errored') return analysis;
    assert.ok(Date.now() < deadline, 'the analysis ends');
  }
}

async function filesOf(home: OpenApp, analysisId: string): Promise<JudgedJob['kept']> {
  const path = dirname(home.app.store.artifacts.pathOf(analysisId, 'any'));
  const names = await readdir(path).catch(() => []);
  const kept = names.map(async (name) => {
    const bytes = await readFile(join(path, name));
    const hash = createHash('sha256').update(bytes).digest('hex');
    return [name, { hash, sizeBytes: bytes.length }] as const;
  });
  return new Map(await Promise.all(kept));
}

/** The sentence with which the honest result is refused once it was changed; null if it passes. */
export function faultOf<R extends AnalysisResult>(
  { job, brought: honest }: Honest<R>,
  lie: (changed: Brought & { result: R }, kept: Map<string, { hash: string; sizeBytes: number }>) => void,
): string | null {
  const changed = structuredClone(honest);
  const kept = new Map(job.kept);
  lie(changed, kept);
  const parsed = brought.safeParse(JSON.parse(JSON.stringify(changed)));
  if (!parsed.success) return `no result: ${parsed.error.issues[0]?.path.join('.')}`;
  return faultOfResult({ ...job, kept }, parsed.data);
}

export const answered = (
  runs: AnalysisResult['runs'],
  task?: AnalysisResult['runs'][number]['task'],
): AnalysisResult['runs'][number] => {
  const run = runs.find((one) => !one.unknown && (task === undefined || one.task === task));
  assert.ok(run, `a model answered (${task})`);
  return run;
};
export const first = <T>(items: readonly T[]): T => {
  const [item] = items;
  assert.ok(item);
  return item;
};

type Change<R extends AnalysisResult> = Parameters<typeof faultOf<R>>[1];
export type Lies<R extends AnalysisResult> = readonly (readonly [
  name: string,
  sentence: RegExp,
  lie: Change<R>,
])[];
