import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import type { StepTime } from '../../src/domain/records/step-times.ts';
import { RULES_VERSION } from '../../src/domain/verdicts/rules-version.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { Store } from '../../src/store/store.ts';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { makePicture } from '../interface/media.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { identifierOf, seedRecords } from '../seeded-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const HEADERS = { 'x-api-key': TEST_KEY };

async function readRest(daemon: OpenBox, identifier: string): Promise<Record<string, unknown>> {
  const headers = { ...HEADERS, accept: 'application/json' };
  const response = await fetch(`${daemon.http}/api/classification/${identifier}`, { headers });
  return (await response.json()) as Record<string, unknown>;
}

interface GraphqlRecord {
  rulesVersion: number | null;
  readByRulesVersion: number | null;
  stepTimes: StepTime[];
}

/** Versions at the measurement and at the reading, by every facade; and the names of REST's fields. */
async function readByAllWays(daemon: OpenBox, identifier: string) {
  const query = `{ classification(identifier: "${identifier}") { rulesVersion readByRulesVersion stepTimes { step seconds times } } }`;
  const graphql = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = (await graphql.json()) as { data: { classification: GraphqlRecord } };
  using client = new AssayClient(
    { address: daemon.grpc, credentials: credentials.createInsecure() },
    TEST_KEY,
  );
  const { classification } = await client.call(ClassificationService.method.getClassification, {
    identifier,
  });
  const { out } = await daemon.assay('get', identifier, '--json');
  const json = JSON.parse(out) as Record<string, unknown> & { step_times: StepTime[] };
  const rest = await readRest(daemon, identifier);
  return {
    graphql: [data.classification.rulesVersion, data.classification.readByRulesVersion],
    grpc: [classification?.rulesVersion, classification?.readByRulesVersion],
    command: [json.rules_version, json.read_by_rules_version],
    rest: Object.keys(rest).filter((name) => /rules|step/.test(name)),
    stepTimes: [
      data.classification.stepTimes,
      (classification?.stepTimes ?? []).map(toStepTime),
      json.step_times,
    ],
  };
}

function toStepTime({ step, seconds, times }: StepTime): StepTime {
  return { step, seconds, times };
}

async function submit(daemon: OpenBox): Promise<string> {
  const body = new FormData();
  body.set('image', new Blob([Buffer.from(await makePicture())]), 'a.jpg');
  const response = await fetch(`${daemon.http}/api/classification`, {
    method: 'POST',
    headers: HEADERS,
    body,
  });
  return (await response.text()).trim();
}

/** Records as an earlier appliance stored them: without a number. */
async function seedOlder(folder: string): Promise<void> {
  await using store = await Store.open({ folder });
  await seedRecords(store, 2, (index) => ({ name: 'old.png', probability: index === 0 ? 0.9 : null }));
}

test('a record names the rules it was measured under, and those that read it now', async () => {
  await using data = await makeTemporaryFolder();
  await using packs = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  await seedOlder(data.path);
  await using daemon = await openBox({ folder: data.path, env: { ASSAY_MODELS_FOLDERS: packs.path } });
  const identifier = await submit(daemon);
  while ((await readRest(daemon, identifier)).status === 'new') await sleep(50);
  const present = [RULES_VERSION, RULES_VERSION];
  const { stepTimes, ...versions } = await readByAllWays(daemon, identifier);
  assert.deepEqual(versions, { ...{ graphql: present, grpc: present, command: present, rest: [] } });
  const [steps = [], ...others] = stepTimes;
  for (const other of others) assert.deepEqual(other, steps);
  const took = new Map(steps.map(({ step, seconds }) => [step, seconds]));
  for (const step of ['queue', 'slot', 'copy', 'decode', 'batch-wait', 'models', 'infer']) {
    assert.ok((took.get(step) ?? -1) >= 0, `${step} is timed`);
  }
  assert.ok((took.get('infer') ?? 0) > 0 && (took.get('decode') ?? 0) > 0);
  const before = [1, RULES_VERSION];
  assert.deepEqual(await readByAllWays(daemon, identifierOf(0)), {
    ...{ graphql: before, grpc: before, command: before, rest: [], stepTimes: [[], [], []] },
  });
  const failed = await readByAllWays(daemon, identifierOf(1));
  assert.deepEqual(
    [failed.graphql, failed.grpc],
    [
      [null, null],
      [0, 0],
    ],
    'nothing was measured',
  );
});
