/** A daemon says of media made by rule what training says (`parity.json`, test/media/parity-media.ts). */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { submitFile } from '../../evaluate/submit-file.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { type Classification, Status } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { Label, MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { parityFile, readParity, type StatedAnswer } from '../media/parity-media.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const MODELS = join(import.meta.dirname, '../../models');
const KINDS = { image: MediaKind.IMAGE, video: MediaKind.VIDEO, audio: MediaKind.AUDIO } as const;
const PICTURE_PACK = 'assay-transformer';
const SPEECH_PACK = 'assay-speech-encoder';
/** By the pack's calibration. What is computed in bytes moves with the order of the sums (its card); floats hardly do. */
const LOG_ODDS_DIFFERENCE_MAX = { picture: 0.3, speech: 0.02 } as const;

const toLogOdds = (probability: number): number => Math.log(probability / (1 - probability));

function assertStated(
  kind: keyof typeof LOG_ODDS_DIFFERENCE_MAX,
  probability: number | undefined,
  { logOdds }: StatedAnswer,
): void {
  const difference = Math.abs(toLogOdds(probability ?? Number.NaN) - logOdds);
  assert.ok(difference <= LOG_ODDS_DIFFERENCE_MAX[kind], `the log-odds differ by ${difference}`);
}

function scoreOf({ results }: Classification): number | undefined {
  const result = results.find(({ model }) => model === SPEECH_PACK);
  return result?.classification.find(({ label }) => label === Label.ARTIFICIAL)?.score;
}

test('a daemon says of every file what training says of it', async (t) => {
  await using models = await makeTemporaryFolder();
  // No others: the answers are theirs alone.
  for (const id of [PICTURE_PACK, SPEECH_PACK]) {
    await cp(join(MODELS, id), join(models.path, id), { recursive: true });
  }
  const env = { ASSAY_MODELS_FOLDERS: models.path };
  await using daemon = await openBox({ env });
  using client = new AssayClient(
    { address: daemon.grpc, credentials: credentials.createInsecure() },
    TEST_KEY,
  );
  const submit = async (file: string): Promise<Classification> => {
    const { kind, make } = parityFile(file);
    const header = { name: file, kind: KINDS[kind], options: { preventC2paForces: true } };
    const record = await submitFile(client, { header, bytes: await make(), interrupted: t.signal });
    assert.equal(record.status, Status.DONE, record.errors);
    return record;
  };
  const { media = [] } = await readParity(PICTURE_PACK);
  const { speech = [] } = await readParity(SPEECH_PACK);
  assert.ok(media.length > 0 && speech.length > 0);
  for (const stated of media) {
    await t.test(stated.file, async () => {
      assertStated('picture', (await submit(stated.file)).assessment?.probability, stated);
    });
  }
  for (const stated of speech) {
    await t.test(stated.file, async () => {
      const record = await submit(stated.file);
      assertStated('speech', record.assessment?.probability, stated);
      assertStated('speech', scoreOf(record), stated);
    });
  }
});
