import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reach, runCommand } from '../../command-line.ts';
import { TEST_KEY, TestDaemon } from '../../daemon.ts';
import { distinctPicture, until } from '../../faults/rounds/submissions.ts';
import { classify } from '../../page/desk-daemon.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test names the fields that it expects
async function ask({ http }: TestDaemon, query: string): Promise<any> {
  const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
  const response = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

const ADDED = 'added { analyses error progress { step } }';

async function recordOf(daemon: TestDaemon, identifier: string): Promise<Record<string, unknown>> {
  const fields = `status credits ${ADDED} ... on ImageClassification { hasHeatmap heatmapLayers }`;
  const query = `{ classification(identifier: "${identifier}") { ${fields} } }`;
  return (await ask(daemon, query)).classification;
}

test('a map is asked for by GraphQL, the daemon is killed over it, and it is made once', async () => {
  await using folder = await makeTemporaryFolder();
  const first = await TestDaemon.start({ folder: folder.path });
  let identifier: string;
  try {
    identifier = await classify(first.http, 'image', await distinctPicture(1), 'a.png');
    const asked = await ask(
      first,
      `mutation { addAnalyses(identifier: "${identifier}", analyses: ["heatmap"]) {
        classification { status ${ADDED} } userErrors { message } } }`,
    );
    assert.deepEqual(asked.addAnalyses.userErrors, []);
    assert.equal(asked.addAnalyses.classification.status, 'DONE');
    assert.deepEqual(asked.addAnalyses.classification.added.analyses, ['heatmap']);
    const refused = await ask(
      first,
      `mutation { addAnalyses(identifier: "${identifier}", analyses: ["horoscope"]) { userErrors { field message } } }`,
    );
    assert.match(refused.addAnalyses.userErrors[0].message, /expected of image one of heatmap/);
    assert.equal(refused.addAnalyses.userErrors[0].field, 'analyses');
  } finally {
    await first.kill('SIGKILL');
  }
  await using second = await TestDaemon.start({ folder: folder.path });
  await until(async () => (await recordOf(second, identifier)).added === null, 'the map');
  const record = await recordOf(second, identifier);
  assert.deepEqual([record.status, record.hasHeatmap], ['DONE', true]);
  const map = await fetch(`${second.http}/media/${identifier}/heatmap`, {
    headers: { 'x-api-key': TEST_KEY },
  });
  assert.equal(map.status, 200);
  const custody = await ask(second, `{ custody(identifier: "${identifier}", first: 20) { nodes { kind } } }`);
  const kinds = custody.custody.nodes.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(kinds, ['analysed', 'analyses_added', 'analysed', 'received']);
  const rest = await fetch(`${second.http}/api/classification_image/${identifier}`, {
    headers: { 'x-api-key': TEST_KEY },
  });
  assert.ok(!('added' in ((await rest.json()) as object)), 'REST stays as documented');

  const byCommand = await runCommand(['add', identifier, 'tampering'], reach(second));
  assert.equal(byCommand.code, 0, byCommand.stderr);
  assert.equal(byCommand.stdout.trim(), `${identifier}: tampering is there`);
  assert.deepEqual((await recordOf(second, identifier)).heatmapLayers, [
    'ORIGIN',
    'TAMPERING',
    'TAMPERING_RELIABILITY',
  ]);
  const wrong = await runCommand(['add', identifier, 'transcript'], reach(second));
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.stderr, /expected of image one of/);
});
