/**
 * Stability copies through a running daemon.
 *
 * Invariant: an answer that is clear of what copies change is told without them, and the record says which were left out.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import sharp from 'sharp';
import { submitFile } from '../../../evaluate/submit-file.ts';
import { AssayClient } from '../../../src/cli/daemon/client.ts';
import { AssessmentState } from '../../../src/grpc/gen/assay/v1/assessment_pb.ts';
import { type Classification, Status } from '../../../src/grpc/gen/assay/v1/classification_pb.ts';
import { MediaKind } from '../../../src/grpc/gen/assay/v1/media_pb.ts';
import { TEST_KEY, TestDaemon } from '../../daemon.ts';
import { writeTinyImagePack } from '../../interface/packs.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

/** Log-odds are 20 times the brightness, 0..1, less 10. */
const REACH = 3;

let daemon: TestDaemon;
let client: AssayClient;
const packs = await makeTemporaryFolder();

before(async () => {
  await writeTinyImagePack(packs.path, { id: 'tiny', minimumShortSide: 100, reach: REACH });
  daemon = await TestDaemon.start({ env: { ASSAY_MODELS_FOLDERS: packs.path } });
  client = new AssayClient({ address: daemon.grpc, credentials: credentials.createInsecure() }, TEST_KEY);
});

after(async () => {
  client?.[Symbol.dispose]();
  await daemon?.[Symbol.asyncDispose]();
  await packs[Symbol.asyncDispose]();
});

async function classify(brightness: number): Promise<Classification> {
  const background = { r: brightness, g: brightness, b: brightness };
  const picture = sharp({ create: { width: 256, height: 256, channels: 3, background } });
  const bytes = await picture.jpeg({ quality: 95 }).toBuffer();
  const header = { name: `${brightness}.jpg`, kind: MediaKind.IMAGE, options: { withHeatmap: true } };
  const record = await submitFile(client, { header, bytes, interrupted: new AbortController().signal });
  assert.equal(record.status, Status.DONE, record.errors);
  return record;
}

const copiesOf = ({ assessment }: Classification) => [
  assessment?.stability?.variants.map(({ name }) => name),
  assessment?.stability?.notNeeded,
];

test('a clear answer of either side costs no copies', async () => {
  for (const [brightness, state] of [
    [20, AssessmentState.HUMAN],
    [240, AssessmentState.ARTIFICIAL],
  ] as const) {
    const record = await classify(brightness);
    assert.equal(record.assessment?.state, state);
    assert.deepEqual(copiesOf(record), [[], ['jpeg-60', 'scale-75']]);
    assert.equal(record.assessment?.stability?.flips, 0);
  }
});

test('an answer within reach is tried on every copy, and the picture itself answers as before', async () => {
  const record = await classify(140);
  assert.deepEqual(copiesOf(record), [['jpeg-60', 'scale-75'], []]);
  const [copy] = record.assessment?.stability?.variants ?? [];
  assert.ok(Math.abs((copy?.logOdds ?? 0) - (20 * 140) / 255 + 10) < 0.2, `${copy?.logOdds}`);
});

test('GraphQL tells what was left out', async () => {
  const { identifier } = await classify(21);
  const query = `{ classification(identifier: "${identifier}") { assessment { stability { flips notNeeded variants { name } } } } }`;
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': TEST_KEY },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: { classification: object }; errors?: unknown };
  assert.equal(errors, undefined, JSON.stringify(errors));
  assert.deepEqual(data.classification, {
    assessment: { stability: { flips: 0, notNeeded: ['jpeg-60', 'scale-75'], variants: [] } },
  });
});
