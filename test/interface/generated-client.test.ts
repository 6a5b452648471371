/** A client that knows schema/openapi.json alone: openapi-typescript makes its types, openapi-fetch carries it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { makePicture } from './media.ts';
import { addCustomer, type Service, shareService } from './service.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DESCRIPTION = join(ROOT, 'schema', 'openapi.json');

/** A client as a user of the two packages would write it. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './interface.ts';

type Record = components['schemas']['ImageClassification'];

export async function classifyAndCorrect(
  base: string,
  key: string,
  image: Blob,
): Promise<{ seen: string[]; result: Record; corrected: Record }> {
  const client = createClient<paths>({ baseUrl: base, headers: { 'X-Api-Key': key } });
  const submitted = await client.POST('/api/classification', {
    body: { image, ref_id: 'generated', with_heatmap: 'true' },
    headers: { accept: 'application/json' },
    bodySerializer(body) {
      const form = new FormData();
      for (const [name, value] of Object.entries(body)) form.set(name, value as string | Blob);
      return form;
    },
  });
  const accepted = submitted.data;
  if (accepted === undefined || typeof accepted === 'string') throw new Error(JSON.stringify(submitted.error));
  const { identifier } = accepted;
  const seen: string[] = [];
  const result = await ended(client, identifier, seen);
  const override = await client.POST('/api/classification/{hash}/override', {
    params: { path: { hash: result.hash } },
    body: { classification: 'human' },
  });
  if (override.data?.type !== 'image') throw new Error(JSON.stringify(override.error));
  return { seen, result, corrected: await ended(client, identifier, seen) };
}

async function ended(
  client: ReturnType<typeof createClient<paths>>,
  identifier: string,
  seen: string[],
): Promise<Record> {
  for (;;) {
    const { data, error } = await client.GET('/api/classification/{identifier}', {
      params: { path: { identifier } },
    });
    if (data === undefined) throw new Error(JSON.stringify(error));
    if (seen.at(-1) !== data.status) seen.push(data.status);
    if (data.status !== 'new') return data;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
`;

/** What the description does not have. */
const WRONG_CALLS = [
  "client.GET('/api/nothing');",
  "client.GET('/api/classification/{identifier}');",
  "client.POST('/api/classification/{hash}/override', { params: { path: { hash: '' } }, body: { classification: 'fake' } });",
];

let service: Service;
let folder: TemporaryFolder;
before(async () => {
  service = await shareService();
  folder = await makeTemporaryFolder();
  await generate();
});
after(async () => {
  await folder[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** A file is a Blob, as the generator's own guide has it. */
async function generate(): Promise<void> {
  const blob = ts.factory.createTypeReferenceNode(ts.factory.createIdentifier('Blob'));
  const nodes = await openapiTS(pathToFileURL(DESCRIPTION), {
    transform: (schema) => (schema.format === 'binary' ? blob : undefined),
  });
  await writeFile(join(folder.path, 'interface.ts'), astToString(nodes));
  await writeFile(join(folder.path, 'client.ts'), CLIENT);
}

function faultsOf(files: string[]): string[] {
  const program = ts.createProgram(
    files.map((file) => join(folder.path, file)),
    {
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: [] },
      ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
      ...{ moduleResolution: ts.ModuleResolutionKind.Bundler, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] },
      ...{ baseUrl: ROOT, paths: { 'openapi-fetch': ['node_modules/openapi-fetch'] } },
    },
  );
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('the generated types hold a client to the description', async () => {
  assert.deepEqual(faultsOf(['client.ts']), []);
  const head = `import createClient from 'openapi-fetch';
    import type { paths } from './interface.ts';
    const client = createClient<paths>();`;
  const names = WRONG_CALLS.map((_, index) => `wrong-${index}.ts`);
  for (const [index, name] of names.entries())
    await writeFile(join(folder.path, name), `${head}\n${WRONG_CALLS[index]}\n`);
  assert.ok(faultsOf(names).length >= WRONG_CALLS.length);
});

test('a generated client submits, follows the status, reads the result and overrides it', async () => {
  const { key } = await addCustomer(service);
  const source = CLIENT.replace("'openapi-fetch'", `'${import.meta.resolve('openapi-fetch')}'`);
  await writeFile(join(folder.path, 'running.ts'), source);
  const { classifyAndCorrect } = await import(pathToFileURL(join(folder.path, 'running.ts')).href);
  const picture = new Blob([new Uint8Array(await makePicture())]);
  const { seen, result, corrected } = await classifyAndCorrect(service.url, key, picture);
  assert.equal(seen.at(-1), 'done');
  assert.deepEqual([result.ref_id, result.verdict?.classification], ['generated', 'artificial']);
  assert.equal(result.has_heatmap, true);
  assert.equal(corrected.force_classification, 'human');
  assert.deepEqual(corrected.verdict, result.verdict);
});
