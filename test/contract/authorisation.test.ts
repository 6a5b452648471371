import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/operations.ts';
import { addCustomer, type CustomerOptions, type Service, shareService } from '../interface/service.ts';
import {
  type Actor,
  type Aim,
  graphqlOperations,
  grpcOperations,
  type WireOperation,
} from './ways/wire-operations.ts';

/** The aim names nothing of another account: answers are about the caller alone. */
const NOBODY: Aim = {
  ...{ identifier: '0'.repeat(64), hash: '0'.repeat(64), accountId: 99_999 },
  ...{ deliveryId: `msg_${'0'.repeat(32)}`, email: 'nobody@example.org' },
};

/** Words of the refusals: gRPC has the sentence, GraphQL the reason too. */
const NEEDS_ADMIN = /this needs an administrator account/;
const NEEDS_PARTNER = /this needs a partner or an administrator account/;
const NEEDS_WRITING = /this account can only view results/;

interface Row {
  name: string;
  operation: Operation;
  call: WireOperation;
}

const CALLERS = {
  user: {},
  partner: { user: { role: 'partner' } },
  reader: { user: { readonly: 'true', role: 'admin' } },
} as const satisfies Record<string, CustomerOptions>;

let service: Service;
const actors = new Map<string, Actor>();

before(async () => {
  service = await shareService();
  for (const [name, options] of Object.entries(CALLERS)) {
    const { key } = await addCustomer(service, options);
    actors.set(name, { url: service.url, grpc: service.grpc, key });
  }
});
after(async () => {
  await service[Symbol.asyncDispose]();
});

const ROWS = rowsOf();

/** Each row with each way to call it. */
function rowsOf(): Row[] {
  const calls = new Map(
    [...grpcOperations(), ...graphqlOperations()].map((call) => [call.name.toLowerCase(), call]),
  );
  const names = [...calls.keys()];
  return Object.entries<Operation>(OPERATIONS).flatMap(([name, operation]) => {
    const [answer = ''] = Object.keys(operation.answer.fields);
    const field = operation.kind === 'mutation' ? name : (operation.field ?? answer);
    const isThere = [
      `graphql ${operation.kind} ${field}`,
      ...names.filter((one) => one.endsWith(`.${name.toLowerCase()}`)),
    ];
    return isThere.flatMap((one) => {
      const call = calls.get(one.toLowerCase());
      return call === undefined || (one.startsWith('graphql') && operation.field === null)
        ? []
        : [{ name: call.name, operation, call }];
    });
  });
}

async function ask(caller: keyof typeof CALLERS, { call }: Row): Promise<string> {
  const actor = actors.get(caller);
  assert.ok(actor !== undefined);
  return await call.run(actor, NOBODY);
}

test('every row is offered by gRPC, by GraphQL or by both', () => {
  const offered = new Set(ROWS.map(({ operation }) => operation));
  const missing = Object.entries<Operation>(OPERATIONS).filter(([, operation]) => !offered.has(operation));
  assert.deepEqual(
    missing.map(([name]) => name),
    [],
  );
});

test('a row for administrators refuses every other account', async () => {
  for (const row of ROWS) {
    for (const caller of ['user', 'partner'] as const) {
      const answer = await ask(caller, row);
      const context = `${row.name} by a ${caller}: ${answer.slice(0, 200)}`;
      if (row.operation.role === 'admin') assert.match(answer, NEEDS_ADMIN, context);
      else assert.doesNotMatch(answer, NEEDS_ADMIN, context);
    }
  }
});

test('a row for partners refuses a plain user', async () => {
  const rows = ROWS.filter(({ operation }) => operation.role === 'partner');
  assert.ok(rows.length > 0);
  for (const row of rows) assert.match(await ask('user', row), NEEDS_PARTNER, row.name);
});

test('a read-only account changes nothing but what the row lets it', async () => {
  const wrong: string[] = [];
  for (const row of ROWS) {
    const answer = await ask('reader', row);
    const isRefused = NEEDS_WRITING.test(answer);
    const isForReaders = row.operation.kind === 'query' || row.operation.isForReaders === true;
    if (isRefused === isForReaders) wrong.push(`${row.name}: ${answer.slice(0, 200)}`);
  }
  assert.deepEqual(wrong, []);
});
