import { deepEqual, equal, ok } from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FF_ENCODER_MPEG4 } from 'node-av/constants';
import { TestDaemon } from '../daemon.ts';
import { makeClip } from '../interface/media.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { filmChildOf } from '../media/film-child.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { KEY_HEADERS, pidOf, until } from './rounds/submissions.ts';

async function submit({ http }: TestDaemon, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.set('video', new Blob([new Uint8Array(bytes)]), 'clip.mkv');
  const init = { method: 'POST', headers: { ...KEY_HEADERS, accept: 'application/json' }, body: form };
  const response = await fetch(`${http}/api/classification_video`, init);
  equal(response.status, 200, await response.clone().text());
  return ((await response.json()) as { identifier: string }).identifier;
}

async function askFilm({ http }: TestDaemon, identifier: string): Promise<number> {
  const headers = { ...KEY_HEADERS, range: 'bytes=0-0' };
  const response = await fetch(`${http}/media/${identifier}/rendition/film.webm`, { headers });
  await response.arrayBuffer();
  return response.status;
}

test('a daemon killed while it makes a rendition leaves no part of it', async () => {
  await using folder = await makeTemporaryFolder();
  const models = join(folder.path, 'packs');
  await mkdir(models);
  await writeTinyPacks(models);
  const data = join(folder.path, 'data');
  await mkdir(data);
  const env = { ASSAY_MODELS_FOLDERS: models };
  const clip = makeClip({ container: 'matroska', codec: FF_ENCODER_MPEG4, seconds: 8, fps: 25, height: 320 });
  await using killed = await TestDaemon.start({ folder: data, env });
  const identifier = await submit(killed, clip);
  const asked = askFilm(killed, identifier).catch(() => 0);
  const isAtWork = (): boolean => filmChildOf(pidOf(killed)) !== undefined;
  await until(isAtWork, 'the film to be under way');
  await killed.kill('SIGKILL');
  // A slow box has answered 202 by then, which promises nothing.
  ok([0, 202].includes(await asked), 'no answer says that there is a film');
  const kept = readdirSync(join(data, 'renditions')).filter((name) => !name.startsWith('.'));
  deepEqual(kept, []);
  await using next = await TestDaemon.start({ folder: data, env });
  deepEqual(readdirSync(join(data, 'renditions')), []);
  const isMade = async (): Promise<boolean> => {
    const status = await askFilm(next, identifier);
    ok(status === 202 || status === 206, String(status));
    return status === 206;
  };
  await until(isMade, 'the film');
});
