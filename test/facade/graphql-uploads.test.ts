import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readMultipart } from '../../src/facade/graphql/transport/uploads.ts';

const OPERATIONS = JSON.stringify({ query: 'q', variables: { input: { file: null } } });
const MAP = JSON.stringify({ 0: ['variables.input.file'] });
const HEADERS = { 'content-type': 'multipart/form-data; boundary=B' };

function field(name: string, value: string): string {
  return `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function file(name: string, value: string): string {
  return `--B\r\nContent-Disposition: form-data; name="${name}"; filename="p.png"\r\nContent-Type: image/png\r\n\r\n${value}\r\n`;
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('hands out the file while the body still arrives', async () => {
  const body = new Readable({ read() {} });
  body.push(field('operations', OPERATIONS) + field('map', MAP) + file('0', 'abc').slice(0, -2));
  const { parameters, uploads } = await readMultipart(body, HEADERS);
  const [[token, upload] = []] = uploads;
  assert.deepEqual(parameters.variables, { input: { file: token } });
  assert.equal(upload?.name, 'p.png');
  body.push('def\r\n--B--\r\n');
  body.push(null);
  assert.equal(await textOf(upload?.bytes ?? Readable.from([])), 'abcdef');
});

test('a body that is cut off never passes for a whole file', async () => {
  for (const cut of ['destroyed', 'ended']) {
    const body = new Readable({ read() {} });
    body.push(field('operations', OPERATIONS) + field('map', MAP) + file('0', 'abc').slice(0, -2));
    const { uploads } = await readMultipart(body, HEADERS);
    const [upload] = uploads.values();
    setImmediate(() => (cut === 'ended' ? body.push(null) : body.destroy(new Error('connection lost'))));
    await assert.rejects(textOf(upload?.bytes ?? Readable.from([])), cut);
  }
});

const REFUSED: { name: string; parts: string[]; message: RegExp }[] = [
  { name: 'file first', parts: [file('0', 'x'), field('operations', OPERATIONS)], message: /operations/ },
  { name: 'map first', parts: [field('map', MAP), field('operations', OPERATIONS)], message: /order/ },
  { name: 'no map', parts: [field('operations', OPERATIONS), file('0', 'x')], message: /map/ },
  { name: 'no file', parts: [field('operations', OPERATIONS), field('map', MAP)], message: /file part/ },
  { name: 'batch', parts: [field('operations', '[]'), field('map', MAP), file('0', 'x')], message: /object/ },
  {
    name: 'prototype path',
    parts: [
      field('operations', OPERATIONS),
      field('map', '{"0":["variables.__proto__.file"]}'),
      file('0', 'x'),
    ],
    message: /null in the operations/,
  },
  {
    name: 'operations that are no JSON',
    parts: [field('operations', '{'), field('map', MAP), file('0', 'x')],
    message: /^AppError: operations: expected JSON$/,
  },
  {
    name: 'a map without a file',
    parts: [field('operations', OPERATIONS), field('map', '{}'), file('0', 'x')],
    message: /map: expected an entry for each file, at most \d+, found 0/,
  },
  {
    name: 'a file for two places',
    parts: [
      field('operations', OPERATIONS),
      field('map', '{"0":["variables.a","variables.b"]}'),
      file('0', 'x'),
    ],
    message: /map: expected one path into the variables/,
  },
  {
    name: 'another file than mapped',
    parts: [field('operations', OPERATIONS), field('map', MAP), file('1', 'x')],
    message: /one entry/,
  },
  {
    name: 'operations too big',
    parts: [field('operations', ' '.repeat(1_100_000)), field('map', MAP), file('0', 'x')],
    message: /at most/,
  },
];

test('refuses: no boundary', () => {
  const headers = { 'content-type': 'multipart/form-data' };
  assert.throws(
    () => readMultipart(Readable.from([]), headers),
    /content-type: .* with a boundary, found multi/,
  );
});

for (const { name, parts, message } of REFUSED) {
  test(`refuses: ${name}`, async () => {
    const body = Readable.from([Buffer.from(`${parts.join('')}--B--\r\n`)]);
    await assert.rejects(readMultipart(body, HEADERS), message);
  });
}
