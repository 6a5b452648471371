/**
 * `node bench/stand-in.ts`: what a detector of the catalogue's size costs, by a stand-in with random weights that is added
 * as one would be: fetched from an HTTPS server on this box, then brought as a file. Prints figures, judges nothing.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { makeIdentity } from '../test/certificates.ts';
import { type CommandOutcome, reach, runCommand } from '../test/command-line.ts';
import { TestDaemon } from '../test/daemon.ts';
import { makeTemporaryFolder } from '../test/temporary-folder.ts';
import { classifyMedia } from './grpc-media.ts';
import { readMemory } from './memory.ts';
import { makePhoto, stampJpeg } from './photos.ts';
import { standInVitBytes } from './stand-in-vit.ts';

const NAME = 'stand-in';
const PHOTOS = 12;
const HANDS = 4;
const RUNS = 10;
/** The bench waits so long after a change: the daemon then has given back most of what it allocated for it. */
const SETTLE_MS = 3000;
const ENTRY = join(import.meta.dirname, '..', 'models', 'catalogue', 'detectra.json');

await using folder = await makeTemporaryFolder();
const model = standInVitBytes();
const modelPath = join(folder.path, 'stand-in.onnx');
await writeFile(modelPath, model);
tell('file', `${(model.length / 1e6).toFixed(1)} MB`);

await measureAlone();

const authority = makeIdentity({ name: 'Authority' });
const { cert, key } = makeIdentity({ name: 'localhost', issuer: authority });
await writeFile(join(folder.path, 'authority.pem'), authority.cert);
const server = createServer({ cert, key }, (_, response) => {
  response.writeHead(200, { 'content-length': model.length }).end(model);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const data = join(folder.path, 'data');
await writeEntry(`https://127.0.0.1:${(server.address() as AddressInfo).port}/model.onnx`);
await using daemon = await TestDaemon.start({
  folder: data,
  env: {
    ASSAY_FETCH_ALLOW_NETWORKS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: join(folder.path, 'authority.pem'),
  },
});
const photos = await Promise.all(
  Array.from({ length: PHOTOS }, (_, seed) => makePhoto(seed + 1, 1600, 1200)),
);
await measure('embedded models alone');
tell('added over https', await timed('models', 'add', NAME));
await measure('with the stand-in');
await assay('models', 'remove', NAME);
tell('added from a file', await timed('models', 'add', NAME, '--file', modelPath));
server.close();
server.closeAllConnections();

/** The catalogue's entry for a model of that size, without the address. */
async function writeEntry(address: string): Promise<void> {
  await mkdir(join(data, 'catalogue'), { recursive: true });
  const entry = JSON.parse(await readFile(ENTRY, 'utf8'));
  const sha256 = createHash('sha256').update(model).digest('hex');
  const own = { name: NAME, address, sha256, bytesMax: model.length, sizeBytes: model.length };
  await writeFile(join(data, 'catalogue', `${NAME}.json`), JSON.stringify({ ...entry, ...own }));
}

async function assay(...args: string[]): Promise<CommandOutcome> {
  const outcome = await runCommand(args, reach(daemon));
  if (outcome.code !== 0) throw new Error(`assay ${args.join(' ')}: ${outcome.stderr}`);
  return outcome;
}

async function timed(...args: string[]): Promise<string> {
  const startedAt = performance.now();
  const { stdout } = await assay(...args);
  return `${stdout.trim()}, after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** The network alone, one picture after the other. */
async function measureAlone(): Promise<void> {
  const session = await InferenceSession.create(modelPath);
  const pixels = Float32Array.from({ length: 3 * 384 * 384 }, (_, index) => Math.sin(index));
  const milliseconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startedAt = performance.now();
    await session.run({ pixels: new Tensor('float32', pixels, [1, 3, 384, 384]) });
    milliseconds.push(performance.now() - startedAt);
  }
  await session.release();
  const [least = 0, middle = 0] = [0, RUNS / 2].map((at) => milliseconds.sort((a, b) => a - b)[at]);
  tell(
    'one picture, the network alone',
    `${least.toFixed(0)} ms at best, ${middle.toFixed(0)} ms in the middle of ${RUNS}`,
  );
}

async function measure(name: string): Promise<void> {
  const stamped = photos.map((photo) => stampJpeg(photo, name));
  const { filesPerSecond: rate } = await classifyMedia(daemon, stamped, { hands: HANDS, header: {} });
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const { daemon: own, tree } = readMemory(daemon.process.pid ?? 0);
  tell(
    name,
    `${rate.toFixed(2)} pictures a second; ${tree.toFixed(0)} MiB, ${own.toFixed(0)} of them the daemon's`,
  );
}

function tell(name: string, text: string): void {
  process.stdout.write(`${name}: ${text}\n`);
}
