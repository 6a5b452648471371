import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentials, Metadata } from '@grpc/grpc-js';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind, Priority } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { addCustomer, type Customer, openService, type Service } from '../interface/service.ts';
import { openServiceClient } from '../service-client.ts';
import { distinctPicture, until } from './rounds/submissions.ts';

const MANY = 12;
const SIDE = 240;
let service: Service;

before(async () => {
  service = await openService({ ASSAY_QUEUE_RUNNING_MAX: '1' });
});

after(async () => await service?.[Symbol.asyncDispose]());

/** The models stand still meanwhile, so that all of it waits. */
async function whileModelsStand(work: () => Promise<void>): Promise<void> {
  const { inferencePids } = service.open.app.engine.status();
  for (const pid of inferencePids) process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    for (const pid of inferencePids) process.kill(pid, 'SIGCONT');
  }
}

let seed = 100;
function nextPicture(): Promise<Buffer> {
  seed += 1;
  return distinctPicture(seed, SIDE);
}

async function submit(
  customer: Customer,
  bytes: Buffer,
  fields: Record<string, string> = {},
): Promise<string> {
  return await customer.submit('/api/classification', { image: new Uint8Array(bytes), ...fields });
}

async function submitBatch({ key }: Customer, bytes: Buffer): Promise<string> {
  const client = openServiceClient(ClassificationService, service.grpc, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('x-api-key', key);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = client.submitMedia(metadata, {}, (error, answer) => {
    if (error === null) resolve(answer?.classification?.identifier ?? '');
    else reject(error);
  });
  call.on('error', () => {});
  const header = { name: 'a.jpg', kind: MediaKind.IMAGE, priority: Priority.BATCH };
  call.write({ payload: { case: 'header', value: header } });
  call.write({ payload: { case: 'chunk', value: bytes } });
  call.write({ payload: { case: 'commit', value: { sizeBytes: BigInt(bytes.length) } } });
  call.end();
  return await promise.finally(() => client.close());
}

function analysisOf(identifier: string) {
  const { read } = service.open.app.store;
  return read.analyses.get(read.records.get(identifier)?.analysisId ?? '');
}

/** The records in the order in which their work ended. */
async function orderOfEnds(identifiers: readonly string[]): Promise<string[]> {
  const areDone = () => identifiers.every((it) => analysisOf(it)?.state === 'done');
  await until(areDone, 'all to be done');
  const endOf = (identifier: string) => analysisOf(identifier)?.endedAt ?? 0;
  return identifiers.toSorted((left, right) => endOf(left) - endOf(right));
}

test('one file of an account does not wait for the many of another', async () => {
  const [busy, other] = [await addCustomer(service), await addCustomer(service)];
  const many: string[] = [];
  let one = '';
  await whileModelsStand(async () => {
    for (let index = 0; index < MANY; index++) many.push(await submit(busy, await nextPicture()));
    one = await submit(other, await nextPicture());
  });
  const order = await orderOfEnds([...many, one]);
  // One of the busy account's was in work already, and the next turn may have been its own.
  ok(order.indexOf(one) <= 2, `it came as number ${order.indexOf(one) + 1} of ${order.length}`);
});

test('batch work yields, keeps its order, and becomes interactive once somebody waits for it', async () => {
  const customer = await addCustomer(service);
  const batch: string[] = [];
  const interactive: string[] = [];
  let joined = '';
  await whileModelsStand(async () => {
    for (let index = 0; index < 4; index++) batch.push(await submitBatch(customer, await nextPicture()));
    const wanted = await nextPicture();
    batch.push(await submitBatch(customer, wanted));
    const unknown = { priority: 'a field that REST does not document' };
    for (let index = 0; index < 3; index++)
      interactive.push(await submit(customer, await nextPicture(), unknown));
    equal(analysisOf(batch[4] ?? '')?.priority, 'batch');
    joined = await submit(customer, wanted);
    equal(analysisOf(joined)?.priority, 'interactive');
  });
  const [running = '', second = '', third = '', fourth = '', hurried = ''] = batch;
  equal(analysisOf(joined)?.id, analysisOf(hurried)?.id);
  const order = await orderOfEnds([...batch, ...interactive]);
  deepEqual(order, [running, ...interactive, hurried, second, third, fourth]);
});

test('a full queue refuses new work with a time, while reads are answered', async () => {
  await using small = await openService({ ASSAY_QUEUE_MAX: '2', ASSAY_QUEUE_RUNNING_MAX: '1' });
  const customer = await addCustomer(small);
  const { inferencePids } = small.open.app.engine.status();
  for (const pid of inferencePids) process.kill(pid, 'SIGSTOP');
  try {
    const accepted: string[] = [];
    let refused: Awaited<ReturnType<Customer['post']>> | undefined;
    for (let index = 0; index < 6 && refused === undefined; index++) {
      const answer = await customer.post('/api/classification', {
        image: new Uint8Array(await nextPicture()),
      });
      if (answer.status === 200) accepted.push(answer.body.identifier);
      else refused = answer;
    }
    equal(refused?.status, 429);
    ok(Number(refused?.headers.get('retry-after')) >= 1);
    ok(accepted.length >= 2);
    const { status } = await customer.get(`/api/classification/${accepted[0]}`);
    equal(status, 200);
  } finally {
    for (const pid of inferencePids) process.kill(pid, 'SIGCONT');
  }
});
