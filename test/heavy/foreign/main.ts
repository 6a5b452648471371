/** Foreign clients and receivers against a running box. `main.ts [NAME]…` runs those alone. Exit code 1 where one misses. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestDaemon } from '../../daemon.ts';
import { writeTinyPacks } from '../../interface/packs.ts';
import { patternImage } from '../../media/pictures.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { chatReceivers } from './chat-receivers.ts';
import { graphqlCodegen } from './graphql-client.ts';
import { bufPython, ghz, grpcurl } from './grpc-clients.ts';
import { bruno, curlHttp2, k6, openApiGenerator } from './rest-clients.ts';
import { Unavailable, type Workplace } from './tools.ts';

const CLIENTS: Readonly<Record<string, (workplace: Workplace) => Promise<string>>> = {
  ...{ 'curl-http2': curlHttp2, k6, grpcurl, ghz, 'buf-python': bufPython },
  ...{
    'openapi-generator': openApiGenerator,
    'graphql-codegen': graphqlCodegen,
    bruno,
    chats: chatReceivers,
  },
};

await using folder = await makeTemporaryFolder();
const packs = join(folder.path, 'packs');
await writeTinyPacks(packs);
await using daemon = await TestDaemon.start({
  env: {
    ...{ ASSAY_MODELS_FOLDERS: packs, ASSAY_ANALYSIS_STABILITY: 'false' },
    ASSAY_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  },
});
const asked = process.argv.slice(2);
for (const [index, [name, prove]] of Object.entries(CLIENTS).entries()) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const picture = join(folder.path, `picture-${index}.png`);
  // Bright, which the small models take for artificial; another one each time, so that none is known.
  await writeFile(
    picture,
    await patternImage(300 + index, 260)
      .linear(0.1, 228)
      .png()
      .toBuffer(),
  );
  const startedAt = performance.now();
  try {
    const shown = await prove({ folder: folder.path, daemon, picture });
    process.stdout.write(`${shown} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)\n`);
  } catch (error) {
    if (error instanceof Unavailable) {
      process.stdout.write(`skipped: ${name}: ${error.message}\n`);
    } else {
      process.stderr.write(`missed: ${name}: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}
