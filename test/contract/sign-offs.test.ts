import { deepEqual, match } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { createKey } from '../../src/app/accounts/keys.ts';
import { overrideClassification } from '../../src/app/records/overrides.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { nameOf } from '../../src/cli/views/enum-word.ts';
import type { Classification } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { SignOffState } from '../../src/grpc/gen/assay/v1/sign_off_pb.ts';
import { addRecord, addUser, openServedApp, principalOf, type ServedApp } from '../app/open-app.ts';
import { linesOf, runCommand } from '../cli/run-command.ts';

/** The state of a sign-off and the reasons of its answers, as a way in shows them. */
type Said = string[];

interface Way {
  ask(identifier: string): Promise<Said>;
  /** Answers the current finding. */
  answer(identifier: string, agrees: boolean, reason: string): Promise<Said>;
  waiting(): Promise<string[]>;
}

const { method } = ClassificationService;
let open: ServedApp;

before(async () => {
  open = await openServedApp();
});
after(() => open[Symbol.asyncDispose]());

function graphqlWay(key: string): Way {
  const ask = async (query: string, variables: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${open.url}/graphql`, { method: 'POST', headers, body });
    const { data, errors } = await response.json();
    if (errors !== undefined) throw new Error(errors[0].message);
    return data;
  };
  const SIGN_OFF = 'signOff { state findingAt answers { reason } }';
  const PAYLOAD = `{ classification { ${SIGN_OFF} } userErrors { message } }`;
  const said = ({
    classification,
    userErrors,
  }: {
    classification: Shown | null;
    userErrors: Shown[];
  }): Said => {
    if (classification === null) throw new Error(String(userErrors[0]?.message));
    return saidOf(classification.signOff);
  };
  return {
    async ask(identifier) {
      const query = `mutation ($identifier: ID!) { done: askSignOff(identifier: $identifier) ${PAYLOAD} }`;
      return said((await ask(query, { identifier })).done);
    },
    async answer(identifier, agrees, reason) {
      const read = `query ($identifier: ID!) { classification(identifier: $identifier) { ${SIGN_OFF} } }`;
      const { findingAt } = (await ask(read, { identifier })).classification.signOff;
      const query = `mutation ($input: AnswerSignOffInput!) { done: answerSignOff(input: $input) ${PAYLOAD} }`;
      return said((await ask(query, { input: { identifier, findingAt, agrees, reason } })).done);
    },
    async waiting() {
      const query = '{ classifications(filter: { waitsForMe: true }) { nodes { identifier } } }';
      const { nodes } = (await ask(query, {})).classifications;
      return nodes.map(({ identifier }: { identifier: string }) => identifier);
    },
  };
}

interface Shown {
  message?: string;
  signOff: { state: string; answers: { reason: string }[] };
}

function saidOf({ state, answers }: Shown['signOff']): Said {
  return [state.replace('SIGN_OFF_STATE_', '').toLowerCase(), ...answers.map(({ reason }) => reason)];
}

function grpcWay(key: string): Way {
  const call = async <T>(act: (client: AssayClient) => Promise<T>): Promise<T> => {
    const address = open.daemon.grpc.address;
    using client = new AssayClient({ address, credentials: credentials.createInsecure() }, key);
    return await act(client);
  };
  const said = ({ classification }: { classification?: Classification | undefined }): Said => {
    const { state = 0, answers = [] } = classification?.signOff ?? {};
    return saidOf({ state: nameOf(SignOffState, state), answers });
  };
  return {
    ask: (identifier) => call(async (client) => said(await client.call(method.askSignOff, { identifier }))),
    answer: (identifier, agrees, reason) =>
      call(async (client) => {
        const { classification } = await client.call(method.getClassification, { identifier });
        const { findingAt } = classification?.signOff ?? {};
        const given = { identifier, agrees, reason, ...(findingAt && { findingAt }) };
        return said(await client.call(method.answerSignOff, given));
      }),
    waiting: () =>
      call(async (client) => {
        const request = { filter: { waitsForMe: true } };
        const { classifications } = await client.call(method.listClassifications, request);
        return classifications.map(({ identifier }) => identifier);
      }),
  };
}

function commandWay(key: string): Way {
  const assay = async (...args: string[]) => {
    const outcome = await runCommand({ address: open.daemon.grpc.address, key }, [...args, '--json']);
    if (outcome.code !== 0) throw new Error(outcome.err);
    return linesOf(outcome);
  };
  const signOff = async (...args: string[]): Promise<Said> => {
    const [record] = await assay('sign-off', ...args);
    return saidOf(record?.sign_off as Shown['signOff']);
  };
  return {
    ask: (identifier) => signOff(identifier, 'ask'),
    answer: (identifier, agrees, reason) =>
      signOff(identifier, agrees ? 'agree' : 'disagree', '--reason', reason),
    waiting: async () => (await assay('list', '--waits-for-me')).map(({ identifier }) => String(identifier)),
  };
}

const WAYS = { GraphQL: graphqlWay, gRPC: grpcWay, 'the command line': commandWay };

for (const [name, wayOf] of Object.entries(WAYS)) {
  test(`a finding is asked about, disagreed with, asked about again and agreed with by ${name}`, async () => {
    const { app, admin } = open;
    const partner = await addUser(app, admin, { role: 'partner' });
    const editor = await addUser(app, principalOf(app, partner.id));
    const stranger = await addUser(app, admin, { role: 'partner' });
    const keyed = async (userId: number) =>
      wayOf((await createKey(app, { principal: principalOf(app, userId), name: 'test' })).secret);
    const [owner, judge, other] = [await keyed(editor.id), await keyed(partner.id), await keyed(stranger.id)];
    const hash = 'e'.repeat(64);
    const identifier = await addRecord(app, editor.id, { hash });
    const refusal = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'granted',
        (error: Error) => error.message,
      );
    match(await refusal(owner.ask(identifier)), /nobody has stated a finding/);
    const principal = principalOf(app, editor.id);
    const finding = { principal, kind: 'image', hash, classification: 'human' } as const;
    await overrideClassification(app, finding);
    match(await refusal(judge.ask(identifier)), /no such classification/);
    deepEqual(await owner.ask(identifier), ['open']);
    match(await refusal(owner.answer(identifier, true, '')), /another person/);
    match(await refusal(other.answer(identifier, true, '')), /no such classification/);
    deepEqual([await judge.waiting(), await other.waiting()], [[identifier], []]);
    match(await refusal(judge.answer(identifier, false, '')), /reason: expected why you disagree/);
    deepEqual(await judge.answer(identifier, false, 'the hands'), ['disagreed', 'the hands']);
    deepEqual(await judge.waiting(), []);
    deepEqual(await owner.ask(identifier), ['open', 'the hands']);
    deepEqual(await judge.answer(identifier, true, 'now I see'), ['agreed', 'the hands', 'now I see']);
    match(await refusal(judge.answer(identifier, true, '')), /no sign-off of this finding is open/);
    // The judge has made a key of the owner, so the two could be one person.
    await createKey(app, { principal: principalOf(app, partner.id), userId: editor.id, name: 'given' });
    await overrideClassification(app, { ...finding, classification: 'artificial' });
    deepEqual(await owner.ask(identifier), ['open']);
    match(
      await refusal(judge.answer(identifier, true, '')),
      /one person could be both: [\w ]+ \(account \d+\) made key 2 of/,
    );
  });
}
