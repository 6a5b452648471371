/** A daemon with an administrator who signs in by password, and media submitted to it by its key. */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FF_ENCODER_FLAC, FF_ENCODER_LIBVPX_VP8 } from 'node-av/constants';
import type { ServedApp } from '../app/open-app.ts';
import { openBox } from '../app/open-box.ts';
import { type DaemonOptions, TEST_KEY } from '../daemon.ts';
import { makeSound, makeVideo } from '../media/make-media.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeVoice } from '../media/voice.ts';
import { writeTinySpeechPack } from '../models/tiny-speech-pack.ts';
import { ADMIN } from './browser.ts';

const RATE = 48_000;
const POLL_MS = 200;
const POLLS_MAX = 450;

export interface DeskDaemon extends AsyncDisposable {
  http: string;
  grpc: string;
  folder: string;
  open: ServedApp;
}

/** With a tiny speech model, so that recordings have an answer. */
export async function startDesk({
  env,
  ...models
}: Pick<DaemonOptions, 'env' | 'models'> = {}): Promise<DeskDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-desk-'));
  await mkdir(join(folder, 'models'));
  await writeTinySpeechPack(join(folder, 'models'));
  const credentials = { ASSAY_ADMIN_EMAIL: ADMIN.email, ASSAY_ADMIN_PASSWORD: ADMIN.password };
  const backups = { ASSAY_BACKUP_DIR: `${folder}-backups`, ASSAY_FETCH_ALLOW_NETWORKS: '127.0.0.1/32' };
  const daemon = await openBox({ ...models, folder, env: { ...credentials, ...backups, ...env } });
  return {
    http: daemon.http,
    grpc: daemon.grpc,
    folder,
    open: daemon.open,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      for (const path of [folder, `${folder}-backups`]) rmSync(path, { recursive: true, force: true });
    },
  };
}

const FILM = { width: 480, height: 360, fps: 10 };

/** Two shots of equal length: a pattern, and the same pattern reversed. */
export function makeFilm(seconds: number): Buffer {
  const shots = [patternRgb(FILM.width, FILM.height), patternRgb(FILM.width, FILM.height).reverse()];
  return makeVideo({
    container: 'webm',
    codec: FF_ENCODER_LIBVPX_VP8,
    seconds,
    ...FILM,
    paint: (index, rgb) => rgb.set(shots[Math.floor((2 * index) / (seconds * FILM.fps))] ?? rgb),
  });
}

export function makeRecording(seconds: number): Buffer {
  const voice = makeVoice({ seconds, sampleRate: RATE, amplitude: 0.4 });
  const wave = (time: number): number => voice[Math.floor(time * RATE)] ?? 0;
  return makeSound({ container: 'flac', codec: FF_ENCODER_FLAC, seconds, rate: RATE, channels: 1, wave });
}

export type Kind = 'image' | 'video' | 'audio';

export async function readRest(
  http: string,
  kind: Kind,
  identifier: string,
  key = TEST_KEY,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${http}/api/classification_${kind}/${identifier}`, {
    headers: { 'x-api-key': key },
  });
  return { httpStatus: response.status, ...((await response.json()) as object) };
}

/** Resolves to the identifier once the work has ended. */
export async function classify(
  http: string,
  kind: Kind,
  bytes: Uint8Array,
  name: string,
  fields: object = {},
  key = TEST_KEY,
): Promise<string> {
  const form = new FormData();
  form.set(kind, new Blob([Buffer.from(bytes)]), name);
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
  const headers = { 'x-api-key': key, accept: 'application/json' };
  const response = await fetch(`${http}/api/classification_${kind}`, { method: 'POST', headers, body: form });
  const { identifier, ...rest } = (await response.json()) as { identifier?: string };
  if (identifier === undefined) throw new Error(`${response.status} ${JSON.stringify(rest)}`);
  for (let poll = 0; poll < POLLS_MAX; poll += 1) {
    const { status } = await readRest(http, kind, identifier, key);
    if (status !== 'new') return identifier;
    await delay(POLL_MS);
  }
  throw new Error(`${name} did not end`);
}
