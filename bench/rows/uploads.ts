/**
 * One upload until its identifier is back, against servers that only write and hash: 15 MB, for which looking at the file
 * counts, and 1 GB, for which moving the bytes does.
 */
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { TEST_KEY, TestDaemon } from '../../test/daemon.ts';
import { BareGrpcServer } from '../bare-grpc-server.ts';
import { BareServer } from '../bare-server.ts';
import { makeBigMedia } from '../big-media.ts';
import { forget, uploadByGrpc, uploadByRest } from '../big-uploads.ts';
import { makePhoto, padJpeg, stampJpeg } from '../photos.ts';
import { getEndedRecord, post, toForm } from '../rest-client.ts';
import { type Row, RUNS } from '../row.ts';

const SIZE_BYTES = 15_000_000;
const MB = 1_000_000;

const BIG_BYTES = 1_000_000_000;

export async function measureUploads(): Promise<Row[]> {
  return [...(await measureSmall()), ...(await measureBig())];
}

async function measureSmall(): Promise<Row[]> {
  await using daemon = await TestDaemon.start();
  using bareServer = await BareServer.start();
  const photo = await makePhoto(1, 512, 512);
  const ours: number[] = [];
  const bare: number[] = [];
  // The first pair of runs only warms both up.
  for (let run = 0; run <= RUNS; run++) {
    const form = toForm(padJpeg(stampJpeg(photo, `run ${run}`), SIZE_BYTES));
    const { speed, answer } = await timePost(daemon.http, form);
    // Its analysis would take the cores from the next upload.
    await getEndedRecord(daemon.http, answer);
    const { speed: bareSpeed } = await timePost(bareServer.origin, form);
    if (run === 0) continue;
    ours.push(speed);
    bare.push(bareSpeed);
  }
  const name = 'upload of 15 MB (REST)';
  return [{ name, unit: 'MB/s', better: 'higher', runs: ours, bareRuns: bare }];
}

/** The four take turns, so that a busy spell of the machine meets all of them. */
async function measureBig(): Promise<Row[]> {
  await using daemon = await TestDaemon.start();
  using bareHttp = await BareServer.start();
  using bareGrpc = await BareGrpcServer.start();
  using client = openClient(daemon.grpc);
  using bareClient = openClient(bareGrpc.address);
  const speeds: Record<'grpc' | 'bareGrpc' | 'rest' | 'bareRest', number[]> = {
    ...{ grpc: [], bareGrpc: [], rest: [], bareRest: [] },
  };
  for (let run = 0; run <= RUNS; run++) {
    const media = makeBigMedia(BIG_BYTES, `run ${run} over gRPC`);
    const other = makeBigMedia(BIG_BYTES, `run ${run} over REST`);
    const ours = await uploadByGrpc(client, media);
    await forget(client, ours);
    const bare = await uploadByGrpc(bareClient, media);
    const oursRest = await uploadByRest(daemon.http, other);
    await forget(client, oursRest);
    const bareRest = await uploadByRest(bareHttp.origin, other);
    // The first run only warms all four up.
    if (run === 0) continue;
    speeds.grpc.push(ours.speed);
    speeds.bareGrpc.push(bare.speed);
    speeds.rest.push(oursRest.speed);
    speeds.bareRest.push(bareRest.speed);
  }
  const unit = { unit: 'MB/s', better: 'higher' } as const;
  return [
    { name: 'upload of 1 GB (gRPC, against grpc-js)', ...unit, runs: speeds.grpc, bareRuns: speeds.bareGrpc },
    {
      name: 'upload of 1 GB (gRPC, against node:http)',
      ...unit,
      runs: speeds.grpc,
      bareRuns: speeds.bareRest,
    },
    {
      name: 'upload of 1 GB (REST, against node:http)',
      ...unit,
      runs: speeds.rest,
      bareRuns: speeds.bareRest,
    },
  ];
}

function openClient(address: string): AssayClient {
  return new AssayClient({ address, credentials: credentials.createInsecure() }, TEST_KEY);
}

async function timePost(origin: string, form: Buffer): Promise<{ speed: number; answer: string }> {
  const startedAt = performance.now();
  const answer = await post(origin, form);
  return { speed: form.length / MB / ((performance.now() - startedAt) / 1000), answer };
}
