/**
 * A running daemon says of media made by rule what training says of them (`parity.json`, test/media/parity-media.ts): the same
 * files are sent as any client sends them, to the models that are shipped.
 */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { submitFile } from '../../evaluate/submit-file.ts';
import { AssayClient } from '../../src/cli/client.ts';
import { Status } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { parityFile, readParity } from '../media/parity-media.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const MODELS = join(import.meta.dirname, '../../models');
const KINDS = { image: MediaKind.IMAGE, video: MediaKind.VIDEO } as const;
const PACK = 'assay-transformer';
/** Logits within the pack's tolerance, by its calibration. */
const LOG_ODDS_DIFFERENCE_MAX = 0.02;

const toLogOdds = (probability: number): number => Math.log(probability / (1 - probability));

test('a daemon says of every file what training says of it', async (t) => {
  await using models = await makeTemporaryFolder();
  await cp(join(MODELS, PACK), join(models.path, PACK), { recursive: true });
  // No other model: the answer is this one's alone, and nothing has to be made at the first start.
  const env = { ASSAY_MODELS_BUILT_IN_FOLDER: models.path };
  await using daemon = await TestDaemon.start({ env, makesModels: true });
  using client = new AssayClient(
    { address: daemon.grpc, credentials: credentials.createInsecure() },
    TEST_KEY,
  );
  const { media = [] } = await readParity(PACK);
  assert.ok(media.length > 0);
  for (const { file, logOdds } of media) {
    await t.test(file, async () => {
      const { kind, make } = parityFile(file);
      const header = { name: file, kind: KINDS[kind], options: { preventC2paForces: true } };
      const record = await submitFile(client, { header, bytes: await make(), interrupted: t.signal });
      assert.equal(record.status, Status.DONE, record.errors);
      const difference = Math.abs(toLogOdds(record.assessment?.probability ?? Number.NaN) - logOdds);
      assert.ok(difference <= LOG_ODDS_DIFFERENCE_MAX, `the log-odds differ by ${difference}`);
    });
  }
});
