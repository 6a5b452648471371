/** Ten thousand files at once in a watched folder, with kills: each becomes one record; memory does not follow their number. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { DoneAction, WatchFolderService } from '../../src/grpc/gen/assay/v1/watch_folder_service_pb.ts';
import { Store } from '../../src/store/store.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { distinctPicture, pidOf } from '../faults/rounds/submissions.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const FILES = Number(process.env.WATCH_FILES ?? 10_000);
const FILES_PER_FOLDER = 500;
/** Every so many is a picture, the others are text and passed over; 1: all are pictures. */
const PICTURE_EVERY = Number(process.env.WATCH_PICTURE_EVERY ?? 1);
/** Few, so that the models are not what is measured. */
const CONTENTS = 20;
const KILLS_AT = [0.2, 0.5];
/** Beside what the daemon takes with nothing to watch. */
const RSS_GROWTH_BYTES_MAX = 300 * 1024 ** 2;
const { method } = WatchFolderService;

await using folder = await makeTemporaryFolder();
const place = (name: string): string => join(folder.path, name);
await mkdir(place('data'));
await writeTinyPacks(place('models'));
const pictures = await Promise.all(Array.from({ length: CONTENTS }, (_, seed) => distinctPicture(seed)));
const names: string[] = [];
for (let index = 0; index < FILES; index += 1) {
  const below = `part-${Math.floor(index / FILES_PER_FOLDER)}`;
  if (index % FILES_PER_FOLDER === 0) await mkdir(place(`share/${below}`), { recursive: true });
  const isPicture = index % PICTURE_EVERY === 0;
  if (isPicture) names.push(`${below}/${index}.jpg`);
  const content = isPicture ? (pictures[names.length % CONTENTS] ?? '') : 'no picture';
  await writeFile(place(`share/${below}/${index}.jpg`), content);
}

const env = {
  ...{ ASSAY_MODELS_FOLDERS: place('models'), ASSAY_WATCH_ROOTS: place('share') },
  ASSAY_ANALYSIS_STABILITY: 'false',
};
const start = (): Promise<TestDaemon> => TestDaemon.start({ folder: place('data'), env });
let daemon = await start();
const rssBefore = await rssOf(daemon);
let rssMost = 0;
const startedMs = performance.now();
await ask(daemon, (client) =>
  client.call(method.addWatchFolder, { path: place('share'), done: DoneAction.SIDECAR }),
);
const kills = [...KILLS_AT];
for (let finished = 0; finished < FILES; ) {
  await delay(1000);
  const { folders } = await ask(daemon, (client) => client.call(method.listWatchFolders, {}));
  finished = Number(folders[0]?.finished ?? 0) + Number(folders[0]?.skipped ?? 0);
  rssMost = Math.max(rssMost, await rssOf(daemon));
  process.stderr.write(`\r${finished} of ${FILES}`);
  const failed = Number(folders[0]?.failed ?? 0);
  if (failed > 0) throw new Error(`${failed} files failed`);
  if (kills[0] === undefined || finished < kills[0] * FILES) continue;
  kills.shift();
  await daemon.kill('SIGKILL');
  daemon = await start();
}
const seconds = (performance.now() - startedMs) / 1000;
await daemon.kill('SIGTERM');

await using store = await Store.open({ folder: place('data') });
const refs = new Map<string, number>();
for (const { refId } of store.read.records.scan({ accountId: 1 })) {
  refs.set(refId, (refs.get(refId) ?? 0) + 1);
}
let missing = 0;
for (const name of names) {
  const text = await readFile(place(`share/${name}.assay.json`), 'utf8').catch(() => '{}');
  const { identifier = '' } = JSON.parse(text) as { identifier?: string };
  if (refs.get(name) !== 1 || store.read.records.get(identifier)?.refId !== name) missing += 1;
}
const left = (await readdir(place('share'), { recursive: true })).filter((name) =>
  name.endsWith('.tmp'),
).length;
const growth = rssMost - rssBefore;
const figures = { files: FILES, records: refs.size, missing, left, seconds: Math.round(seconds) };
const rates = { perSecond: Math.round(FILES / seconds), growthMib: Math.round(growth / 1024 ** 2) };
process.stdout.write(`${JSON.stringify({ ...figures, kills: KILLS_AT.length, ...rates })}\n`);
if (missing > 0 || left > 0 || refs.size !== names.length || growth > RSS_GROWTH_BYTES_MAX)
  process.exitCode = 1;

async function ask<T>({ grpc }: TestDaemon, call: (client: AssayClient) => Promise<T>): Promise<T> {
  using client = new AssayClient({ address: grpc, credentials: credentials.createInsecure() }, TEST_KEY);
  return await call(client);
}

/** Memory of the daemon itself, without mapped pages of the store. */
async function rssOf(of: TestDaemon): Promise<number> {
  const status = await readFile(`/proc/${pidOf(of)}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}
