import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { buildSchema, type ExecutionArgs, GraphQLError, parse } from 'graphql';
import { updatePlan } from '../../src/app/accounts/plans.ts';
import type { Reader } from '../../src/app/callers/principal.ts';
import { getClassification } from '../../src/app/records/classifications.ts';
import { appliancePlan } from '../../src/domain/accounts/plan.ts';
import { getSchema } from '../../src/facade/graphql/schema.ts';
import type { GraphqlContext } from '../../src/facade/graphql/transport/context.ts';
import { type Payload, Payloads } from '../../src/facade/graphql/transport/payloads.ts';
import { recordOrThrow, type Watched } from '../../src/facade/graphql/transport/watch-stream.ts';
import { addRecord, addUser, openApp, principalOf } from '../app/open-app.ts';

const PLAN = appliancePlan(0);
const RECORD = { name: 'harbour' };

interface Book {
  payloads: Payloads;
  masked: unknown[];
  /** Executes the subscription for one change. The store is at `revision`. */
  ask(differing?: Partial<ExecutionArgs> & { reader?: Reader }, record?: object): Promise<Payload>;
  revision: number;
}

/** A schema of one subscription, whose fields say whom they are executed for. */
function openBook(): Book {
  const schema = buildSchema(`type Query { none: Int } type Subscription { note(kind: Int): Note }
    type Note { name: String account: Int key: String }`);
  const note = schema.getSubscriptionType()?.getFields().note;
  const fields = (schema.getType('Note') as ReturnType<typeof schema.getSubscriptionType>)?.getFields();
  assert.ok(note !== undefined && fields?.account !== undefined && fields.key !== undefined);
  note.resolve = (watched: Watched<object>) => recordOrThrow(watched);
  fields.account.resolve = (_record, _args, { reader }: GraphqlContext) => reader().account.id;
  fields.key.resolve = (_record, _args, { principal }: GraphqlContext) => principal().key?.name;
  const masked: unknown[] = [];
  const payloads = new Payloads((error) => {
    masked.push(error);
    return new GraphQLError('masked');
  });
  const book: Book = {
    payloads,
    masked,
    revision: 1,
    ask({ reader = readerOf(1), ...differing } = {}, record = RECORD) {
      const app = { store: { revision: book.revision }, feed: { changes: 0 } };
      const principal = () => ({ ...reader, key: { name: 'desk' } });
      const contextValue = { app, reader: () => reader, principal };
      const document = parse('subscription ($kind: Int) { note(kind: $kind) { name account } }');
      return payloads.of({ schema, document, contextValue, ...differing })({ record });
    },
  };
  return book;
}

function readerOf(id: number, plan = PLAN): Reader {
  return { account: { id, role: 'user' }, plan };
}

test('equal subscriptions of equal readers are given one payload of a change', async () => {
  const { ask } = openBook();
  const [one, other] = await Promise.all([ask(), ask({ reader: readerOf(1, { ...PLAN }) })]);
  assert.equal(one, other);
  assert.equal(one.text, '{"data":{"note":{"name":"harbour","account":1}}}');
});

const DIFFERING: Record<string, Partial<ExecutionArgs> & { reader?: Reader }> = {
  'another account': { reader: readerOf(2) },
  'another plan': { reader: readerOf(1, { ...PLAN, seenBeforeAcrossUsers: !PLAN.seenBeforeAcrossUsers }) },
  'another document': { document: parse('subscription { note { name } }') },
  'other variables': { variableValues: { kind: 1 } },
  'another operation': {
    document: parse('subscription A { note { name } } subscription B { note { account } }'),
    operationName: 'B',
  },
};

for (const [name, differing] of Object.entries(DIFFERING)) {
  test(`${name} is given a payload of its own`, async () => {
    const { ask } = openBook();
    const { operationName, ...rest } = differing;
    const first = operationName === undefined ? {} : { ...rest, operationName: 'A' };
    const [own, others] = await Promise.all([ask(first), ask(differing)]);
    assert.notEqual(own, others);
    assert.equal(others, await ask(differing));
  });
}

test('another record, another state and another turn are executed anew', async () => {
  const book = openBook();
  const first = await book.ask();
  assert.notEqual(await book.ask({}, { ...RECORD }), first);
  book.revision += 1;
  const later = await book.ask();
  assert.notEqual(later, first);
  assert.equal(await book.ask(), later);
  await turn();
  assert.notEqual(await book.ask(), later);
});

test('a field that asks for the caller itself fails, and is reported once for all', async () => {
  const { ask, masked } = openBook();
  const document = parse('subscription { note { name key } }');
  const [one, other] = await Promise.all([ask({ document }), ask({ document })]);
  assert.equal(one, other);
  assert.equal(masked.length, 1);
  assert.doesNotMatch(one.text, /desk/);
  assert.match(one.text, /"key":null.*"message":"masked"/);
});

const SEEN = 'subscription { classifications { identifier seenBefore { identifier } } }';

test('two readers of one record with different rights get different answers', async () => {
  await using open = await openApp();
  const { app, admin } = open;
  await updatePlan(app, { principal: admin, id: 1, fields: { seen_before_across_users: true } });
  const partner = principalOf(app, (await addUser(app, admin, { role: 'partner' })).id);
  const owner = await addUser(app, partner);
  const stranger = await addUser(app, partner);
  const identifier = await addRecord(app, owner.id, { hash: 'e'.repeat(64) });
  const stored = app.store.read.records.get(identifier);
  assert.ok(stored !== undefined);
  const earlier = 'ea'.repeat(32);
  const sameAnalysis = { ...stored, identifier: earlier, accountId: stranger.id, createdAt: 1 };
  await app.store.transact((tx) => tx.putClassification(sameAnalysis));
  const principal = { ...admin, account: { ...admin.account, id: owner.id } };
  const record = getClassification(app, { principal, identifier });
  const payloads = new Payloads((error) => error as GraphQLError);
  const answerTo = async (reader: Reader): Promise<unknown> => {
    const contextValue = { app, reader: () => reader };
    const toPayload = payloads.of({ schema: getSchema(), document: parse(SEEN), contextValue });
    const { classifications } = JSON.parse((await toPayload({ record })).text).data;
    return classifications.seenBefore;
  };
  const answers = [
    answerTo(readerOf(owner.id, { ...admin.plan, seenBeforeAcrossUsers: true })),
    answerTo(readerOf(owner.id, { ...admin.plan, seenBeforeAcrossUsers: false })),
    answerTo(readerOf(stranger.id, { ...admin.plan, seenBeforeAcrossUsers: true })),
  ];
  assert.deepEqual(await Promise.all(answers), [[{ identifier: earlier }], [], []]);
});
