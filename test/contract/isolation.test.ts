/** Over the wire, by every operation of every facade: no account sees or changes what is another's. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { toJson } from '@bufbuild/protobuf';
import { credentials } from '@grpc/grpc-js';
import fc from 'fast-check';
import { listDeliveries } from '../../src/app/webhooks/deliveries.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { AccountService } from '../../src/grpc/gen/assay/v1/account_service_pb.ts';
import {
  ApplianceService,
  GetStatusResponseSchema,
} from '../../src/grpc/gen/assay/v1/appliance_service_pb.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { principalOf } from '../app/open-app.ts';
import { openReceiver, type Receiver } from '../app/webhooks/webhook-receiver.ts';
import { runCommand } from '../cli/run-command.ts';
import { GraphqlCaller } from '../facade/graphql-caller.ts';
import { until } from '../faults/rounds/submissions.ts';
import { makeClip, makePicture } from '../interface/media.ts';
import { addCustomer, type Customer, fileOf, type Service, shareService } from '../interface/service.ts';
import {
  type Actor,
  type Aim,
  graphqlOperations,
  grpcOperations,
  restOperations,
  type WireOperation,
} from './ways/wire-operations.ts';

const OPERATIONS = [...restOperations(), ...graphqlOperations(), ...grpcOperations()];
/** Answers of a request that did not reach its operation, or broke it. */
const NOT_ASKED =
  /GRAPHQL_|tokens|the operation (has|costs|is)|internal error|Cannot query|Variable |Syntax Error|UNIMPLEMENTED/i;
/** These operations show the caller's own record, so that others' records were refused for their owner, not for the form of the request. */
const SHOWING = [
  ...['REST get /api/classification/{identifier}', 'REST get /api/classifications'],
  ...['GraphQL query classification', 'GraphQL query classifications', 'GraphQL query overrides'],
  ...['GraphQL query viewer', 'GraphQL mutation overrideClassification'],
  ...['GetClassification', 'BatchGetClassifications', 'ListClassifications', 'WatchClassification'].map(
    (method) => `gRPC ClassificationService.${method}`,
  ),
  ...['gRPC ClassificationService.ListOverrides', 'gRPC AccountService.ListDeliveries'],
];
/** The identifier of an account or a delivery that does not exist. */
const NOBODY = 99_999;

interface Member {
  customer: Customer;
  actor: Actor;
  /** A word that appears in everything of this member, and in nothing of another. */
  mark: string;
  own: string[];
  frames: string[];
  hash: string;
  deliveryId: string;
}

let service: Service;
let receiver: Receiver;
let members: Member[];
let sharedHash: string;

before(async () => {
  service = await shareService();
  receiver = await openReceiver({ status: 204 });
  const shared = await makePicture();
  members = [];
  for (const [index, role] of ['user', 'user', 'partner'].entries())
    members.push(await furnish(`mark-${index}-${randomBytes(8).toString('hex')}`, role, shared));
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Gives the member a picture of its own, one that every member has, a video, an override and a delivery. */
async function furnish(mark: string, role: string, shared: Buffer): Promise<Member> {
  const user = { name: mark, email: `${mark}@example.org`, phone: mark, role };
  const customer = await addCustomer(service, { user, plan: { image_credits: 1 }, credits: 1000 });
  const webhook_url = `${receiver.origin}/${mark}`;
  const named = (bytes: Buffer) => ({ ref_id: mark, name: fileOf(bytes, mark) });
  const picture = named(await makePicture());
  const record = await customer.classify('image', { image: picture.name, ref_id: mark, webhook_url });
  const common = await customer.classify('image', { image: named(shared).name, ref_id: mark });
  sharedHash = common.hash;
  const video = await customer.classify('video', {
    video: named(makeClip()).name,
    ref_id: mark,
    frames: '5',
  });
  const override = { classification: 'human', reason: mark };
  await customer.postJson(`/api/classification/${record.hash}/override`, override);
  const { deliveries } = listDeliveries(service.open.app, {
    principal: principalOf(service.open.app, customer.id),
    limit: 1,
  });
  return {
    customer,
    actor: { url: service.url, grpc: service.grpc, key: customer.key },
    mark,
    own: [record.identifier, common.identifier, video.identifier],
    frames: video.results.images.map(({ identifier }: { identifier: string }) => identifier),
    hash: record.hash,
    deliveryId: deliveries[0]?.id ?? '',
  };
}

test('the state of the box shows phase and models, and nothing that the work of others moves', async () => {
  const fields = ['queueDepth', 'running', 'uptimeSeconds', 'rssAnonBytes', 'diskFreeBytes', 'isolation'];
  const query = `{ appliance { version phase videoDecoder search { pictures } models { id resident } ${fields.join(' ')} } }`;
  for (const { actor } of members) {
    const { appliance } = await new GraphqlCaller(actor.url, actor.key).read(query);
    const { version, phase, models, ...moving } = appliance;
    assert.deepEqual([version.length > 0, phase, models.length > 0], [true, 'ready', true]);
    assert.deepEqual(new Set([...Object.values(moving), ...models.map(residence)]), new Set([null]));
    const channel = { address: actor.grpc, credentials: credentials.createInsecure() };
    using client = new AssayClient(channel, actor.key);
    const status = await client.call(ApplianceService.method.getStatus, {});
    const shown = Object.keys(toJson(GetStatusResponseSchema, status) as object);
    assert.deepEqual(shown.sort(), ['apiVersion', 'models', 'phase', 'version']);
    const listed = await client.call(ApplianceService.method.listModels, {});
    assert.ok([...status.models, ...listed.models].every(({ resident }) => !resident));
    const { out } = await runCommand({ address: actor.grpc, key: actor.key }, ['status']);
    assert.doesNotMatch(out, /waiting|disk|memory|pictures|backup/);
  }
  const open = await (await fetch(`${service.url}/readyz?verbose`)).text();
  assert.doesNotMatch(open, /bytes|queue|running/);
});

const residence = ({ resident }: { resident: boolean | null }) => resident;

/** State that a stranger must not change. */
function stateOf({ customer: { id }, hash, own, frames }: Member): string {
  const { read } = service.open.app.store;
  const records = read.records.list({ accountId: id, limit: 100 });
  return JSON.stringify([
    read.accounts.get(id),
    read.accounts.apiKeys(id).map((key) => ({ ...key, lastUsedAt: null })),
    records,
    records.map(({ analysisId }) => read.analyses.get(analysisId)),
    [hash, sharedHash].map((each) => [
      read.override(id, 'image', each),
      read.overrideHistory(id, 'image', each),
    ]),
    [read.ledger(id), read.balance(id), own.length, frames.map((frame) => read.parts.get(frame))],
  ]);
}

/** Removes the caller's own words from the answer. */
function without(answer: string, aim: Aim): string {
  const given = [aim.identifier, aim.hash, aim.deliveryId, aim.email];
  return given.reduce((text, word) => text.replaceAll(word, '·'), answer);
}

const UNKNOWN: Aim = {
  ...{ identifier: 'e'.repeat(64), hash: 'd'.repeat(64), accountId: NOBODY },
  ...{ deliveryId: 'c'.repeat(64), email: 'nobody-at-all@example.org' },
};

async function attack(operation: WireOperation, actor: Member, target: Member, aim: Aim): Promise<void> {
  const others = members.filter((member) => member !== actor);
  const before = others.map(stateOf);
  const answer = await operation.run(actor.actor, aim);
  const context = `${operation.name} by ${actor.mark} at ${target.mark}`;
  assert.doesNotMatch(answer, NOT_ASKED, context);
  const shown = without(answer, aim);
  for (const other of others) {
    assert.ok(!shown.includes(other.mark), `${context} shows ${other.mark}: ${shown}`);
    for (const identifier of [...other.own, ...other.frames])
      assert.ok(!shown.includes(identifier), `${context} shows ${identifier}`);
    assert.ok(!shown.includes(other.customer.key), `${context} shows a key`);
  }
  for (const [index, other] of others.entries())
    assert.equal(stateOf(other), before[index], `${context} changed ${other.mark}`);
  if (!operation.isAimed) return;
  const unknown = without(await operation.run(actor.actor, UNKNOWN), UNKNOWN);
  assert.equal(shown, unknown, `${context} distinguishes what is there from what is not`);
}

function aimAt({ own, frames, hash, deliveryId, customer, mark }: Member, which: number): Aim {
  const identifiers = [...own, ...frames];
  const identifier = identifiers[which % identifiers.length] ?? '';
  return { identifier, hash, accountId: customer.id, deliveryId, email: `${mark}@example.org` };
}

test('the tables yield operations of each facade', () => {
  const countOf = (facade: string): number => OPERATIONS.filter(({ name }) => name.startsWith(facade)).length;
  assert.ok(countOf('REST') >= 27 && countOf('GraphQL') >= 30 && countOf('gRPC') >= 35);
});

test('operations show a caller its own records', async () => {
  const [member] = members;
  assert.ok(member !== undefined);
  for (const name of SHOWING) {
    const operation = OPERATIONS.find((each) => each.name === name);
    assert.ok(operation !== undefined, name);
    const answer = await operation.run(member.actor, aimAt(member, 0));
    assert.ok(answer.includes(member.mark) || answer.includes(member.hash), `${name}: ${answer}`);
  }
});

for (const facade of ['REST', 'GraphQL', 'gRPC']) {
  test(`${facade}: no operation of a user or partner crosses accounts`, async () => {
    const [first, second, partner] = members;
    assert.ok(first !== undefined && second !== undefined && partner !== undefined);
    for (const operation of OPERATIONS.filter(({ name }) => name.startsWith(facade))) {
      for (const [actor, target] of [
        [first, second],
        [second, partner],
        [partner, first],
      ] as const)
        await attack(operation, actor, target, aimAt(target, 0));
    }
  });
}

test('no order of operations crosses accounts, by any facade, at records, frames and near misses', async () => {
  const step = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    actor: fc.nat({ max: 2 }),
    target: fc.nat({ max: 2 }),
    which: fc.nat({ max: 7 }),
    nibble: fc.option(fc.nat({ max: 63 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { operation, actor: by, target: at, which, nibble } of steps) {
        const [actor, target] = [members[by], members[at]];
        if (actor === undefined || target === undefined || actor === target) continue;
        const aim = aimAt(target, which);
        const identifier = nibble === null ? aim.identifier : nearMiss(aim.identifier, nibble);
        await attack(operation, actor, target, { ...aim, identifier });
      }
    }),
    { numRuns: 25 },
  );
});

/** The identifier with one digit changed. */
function nearMiss(identifier: string, place: number): string {
  const digit = (Number.parseInt(identifier[place] ?? '0', 16) + 1) % 16;
  return identifier.slice(0, place) + digit.toString(16) + identifier.slice(place + 1);
}

test('the live streams of an account carry its own changes and no others', async () => {
  const [first, second] = members;
  assert.ok(first !== undefined && second !== undefined);
  const caller = new AssayClient(
    { address: service.grpc, credentials: credentials.createInsecure() },
    first.customer.key,
  );
  const departure = new AbortController();
  const seen: string[] = [];
  const { watchClassifications } = ClassificationService.method;
  const { watchCredits, watchDeliveries } = AccountService.method;
  const follow = async (updates: AsyncIterable<unknown>): Promise<void> => {
    for await (const update of updates)
      seen.push(JSON.stringify(update, (_key, value) => (typeof value === 'bigint' ? String(value) : value)));
  };
  const following = [
    follow(caller.receive(watchClassifications, {}, departure.signal)),
    follow(caller.receive(watchCredits, {}, departure.signal)),
    follow(caller.receive(watchDeliveries, {}, departure.signal)),
  ];
  await until(() => seen.length > 0, 'the first credits');
  for (const { customer, mark } of [second, first]) {
    const webhook_url = `${receiver.origin}/${mark}`;
    const image = fileOf(await makePicture(), mark);
    const record = await customer.classify('image', { image, ref_id: mark, webhook_url });
    (customer === first.customer ? first : second).own.push(record.identifier);
  }
  await until(() => seen.some((update) => update.includes('"attempts":[{')), 'the delivery');
  departure.abort();
  await Promise.all(following);
  caller[Symbol.dispose]();
  assert.ok(seen.some((update) => update.includes(first.mark)));
  assert.deepEqual(
    seen.filter((update) => update.includes(second.mark)),
    [],
  );
});

test('to know the hash of another’s file is not to have it', async () => {
  const [first, second] = members;
  assert.ok(first !== undefined && second !== undefined);
  using caller = new AssayClient(
    { address: service.grpc, credentials: credentials.createInsecure() },
    first.customer.key,
  );
  const { call, answer } = caller.openUpload(ClassificationService.method.submitMedia);
  const sizeBytes = BigInt(service.open.app.store.read.records.get(second.own[0] ?? '')?.sizeBytes ?? 0);
  const claim = { sizeBytes, sha256: second.hash };
  call.write({ payload: { case: 'header', value: { name: 'mine.png', kind: MediaKind.IMAGE, ...claim } } });
  call.write({ payload: { case: 'commit', value: claim } });
  call.end();
  await assert.rejects(answer);
  const { body } = await first.customer.get('/api/classifications');
  assert.ok(!body.some(({ hash }: { hash: string }) => hash === second.hash));
});

test('a file that every account has submitted is overridden by each for itself', async () => {
  const [first, second] = members;
  assert.ok(first !== undefined && second !== undefined);
  const before = stateOf(second);
  const path = `/api/classification/${sharedHash}/override`;
  assert.equal((await first.customer.postJson(path, { classification: 'human' })).status, 200);
  assert.equal(stateOf(second), before);
  const { body } = await second.customer.get(`/api/classification/${second.own[1]}`);
  assert.equal('force_classification' in body, false);
});

test('the lists of each account hold its own records and no others', async () => {
  for (const { customer, own } of members) {
    const images = await customer.get('/api/classifications');
    const videos = await customer.get('/api/classifications_video');
    const seen = [...images.body, ...videos.body].map(({ identifier }: { identifier: string }) => identifier);
    assert.deepEqual(seen.sort(), [...own].sort());
  }
});
