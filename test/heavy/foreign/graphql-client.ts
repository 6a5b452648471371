/** GraphQL Code Generator on the schema that the box hands out: every document of the page, and a client that runs. */
import { match } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kind, parse, print } from 'graphql';
import * as DOCUMENTS from '../../../page/gen/documents.ts';
import { TEST_KEY } from '../../daemon.ts';
import { addressesOf, npmWith, run, type Workplace } from './tools.ts';

const PACKAGES = [
  '@graphql-codegen/cli@7.4.3',
  '@graphql-codegen/typescript-operations@6.1.9',
  '@graphql-codegen/typescript-generic-sdk@5.0.1',
  ...['graphql@16.15.0', 'graphql-tag@2.12.7', 'typescript@5.9.3', '@types/node@24.19.2'],
];

const CLIENT = `
import { print, type DocumentNode } from 'graphql';
import { getSdk } from './generated.ts';

async function ask<R, V>(document: DocumentNode, variables?: V): Promise<R> {
  const response = await fetch(process.env.ASSAY_URL + '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': process.env.ASSAY_API_KEY ?? '' },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors } = (await response.json()) as { data: R; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}
const { viewer } = await getSdk(ask).ReadAccount();
console.log(viewer?.email, viewer?.role);
`;

/** Each document brings its own fragments along; here they are all of one file, where a name stands once. */
async function writeDocuments(path: string): Promise<number> {
  const byName = new Map<string, string>();
  let operations = 0;
  for (const text of Object.values(DOCUMENTS)) {
    for (const definition of parse(String(text)).definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
        continue;
      if (definition.kind === Kind.OPERATION_DEFINITION) operations++;
      byName.set(`${definition.kind} ${definition.name?.value}`, print(definition));
    }
  }
  await writeFile(path, [...byName.values()].join('\n'));
  return operations;
}

export async function graphqlCodegen(workplace: Workplace): Promise<string> {
  const { daemon } = workplace;
  const folder = await npmWith(workplace, 'graphql', ...PACKAGES);
  const schema = await fetch(`${daemon.http}/schema.graphql`, { headers: { 'x-api-key': TEST_KEY } });
  await writeFile(join(folder, 'schema.graphql'), await schema.text());
  const documents = join(folder, 'documents.graphql');
  const count = await writeDocuments(documents);
  const plugins = ['typescript-operations', 'typescript-generic-sdk'];
  const config = { useTypeImports: true, enumsAsTypes: true, documentMode: 'documentNode' };
  const codegen = { schema: 'schema.graphql', documents, generates: { 'generated.ts': { plugins, config } } };
  await writeFile(join(folder, 'codegen.json'), JSON.stringify(codegen));
  const bin = join(folder, 'node_modules', '.bin');
  await run(join(bin, 'graphql-codegen'), ['--config', 'codegen.json'], { cwd: folder });
  await writeFile(join(folder, 'client.ts'), CLIENT);
  const compiler = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
    '--esModuleInterop',
  ];
  const target = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  await run(join(bin, 'tsc'), [...compiler, ...target, 'client.ts'], { cwd: folder });
  const said = await run(process.execPath, ['client.ts'], { cwd: folder, env: addressesOf(workplace) });
  match(said, /^\S+ \w+\n$/);
  return `GraphQL Code Generator: ${count} documents of the page generated, compiled strictly, one query run`;
}
