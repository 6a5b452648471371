import { deepEqual, match } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDesk, setDeskMember } from '../../../src/app/accounts/desks.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { linesOf, runCommand } from '../../cli/run-command.ts';
import { patternImage, writePicture } from '../../media/pictures.ts';
import { addUser, principalOf } from '../open-app.ts';
import { type OpenBox, openBox } from '../open-box.ts';

interface Sent {
  identifier?: string;
  error?: string;
}

type Way = (box: OpenBox, key: string, desk: number | null) => Promise<Sent>;

const QUERY =
  'mutation ($input: SubmitMediaInput!) { submitMedia(input: $input) { classification { identifier } userErrors { field message } } }';

async function picture(): Promise<Buffer> {
  return await patternImage(320, 240).jpeg().toBuffer();
}

async function byGraphql({ http }: OpenBox, key: string, desk: number | null): Promise<Sent> {
  const named = desk === null ? {} : { deskId: String(desk) };
  const form = new FormData();
  const input = { file: null, kind: 'IMAGE', options: {}, ...named };
  form.set('operations', JSON.stringify({ query: QUERY, variables: { input } }));
  form.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
  form.set('0', new Blob([new Uint8Array(await picture())]), 'picture.jpg');
  const answer = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  const { data } = await answer.json();
  const { classification, userErrors } = data.submitMedia;
  const [refused] = userErrors;
  return refused === undefined
    ? { identifier: classification.identifier }
    : { error: `${refused.field}: ${refused.message}` };
}

async function byGrpc({ grpc, folder }: OpenBox, key: string, desk: number | null): Promise<Sent> {
  const path = await writePicture(folder, 'picture.jpg', await picture());
  const named = desk === null ? [] : ['--desk', String(desk)];
  const said = await runCommand({ address: grpc, key }, ['classify', join(path), '--json', ...named]);
  const [line] = linesOf(said);
  return typeof line?.identifier === 'string'
    ? { identifier: line.identifier }
    : { error: said.err + said.out };
}

const WAYS: readonly (readonly [string, Way])[] = [
  ['GraphQL', byGraphql],
  ['gRPC', byGrpc],
];

for (const [name, send] of WAYS) {
  test(`${name}: a record belongs to the desk that was named, to none, or to the first of the account`, async () => {
    await using box = await openBox({ models: 'tiny' });
    const { app, admin } = box.open;
    const { id, email } = await addUser(app, admin);
    const desks: number[] = [];
    for (const desk of ['Night', 'Politics', 'Sports'])
      desks.push((await addDesk(app, { principal: admin, name: desk })).id);
    const [first = 0, second = 0, foreign = 0] = desks;
    for (const desk of [first, second])
      await setDeskMember(app, { principal: admin, id: desk, email, role: 'submits' });
    const { secret } = await createKey(app, { principal: principalOf(app, id), name: 'test' });
    const deskOf = async (asked: number | null) => {
      const { identifier = '', error } = await send(box, secret, asked);
      return error ?? app.store.read.records.get(identifier)?.deskId ?? 'none';
    };
    deepEqual([await deskOf(null), await deskOf(second), await deskOf(0)], [first, second, 'none']);
    match(
      String(await deskOf(foreign)),
      new RegExp(
        `desk_?id: expected 0 for no desk, or a desk in which you may submit .*, found ${foreign}`,
        'i',
      ),
    );
  });
}
