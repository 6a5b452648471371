/** Forms as clients and attackers send them, read into a real store; what is not handed on leaves no file behind. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import multipart from '@fastify/multipart';
import { fastify as createFastify, type FastifyInstance } from 'fastify';
import type { App } from '../../src/app/appliance/app.ts';
import type { Principal } from '../../src/app/callers/principal.ts';
import {
  FIELD_BYTES_MAX,
  isFilePart,
  MULTIPART_LIMITS,
  PARTS_MAX,
  receiveForm,
} from '../../src/facade/rest/multipart.ts';
import { Metrics } from '../../src/machinery/metrics.ts';
import { Turnstile } from '../../src/machinery/turns/turnstile.ts';
import { toErrorReply } from '../../src/port/errors.ts';
import { Store } from '../../src/store/store.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

interface Part {
  name: string;
  file?: string;
  type?: string;
  text: string;
}

let folder: TemporaryFolder;
let store: Store;
let fastify: FastifyInstance;

before(async () => {
  folder = await makeTemporaryFolder();
  store = await Store.open({ folder: folder.path });
  const config = { uploadsMax: 2, diskFreeBytesMin: 0 };
  // receiveForm touches no more of the app than this.
  const parts = { store, config, engine: { phase: 'ready' }, metrics: new Metrics() };
  const app = { ...parts, flushes: new Turnstile(1) } as unknown as App;
  fastify = createFastify();
  const principal = { account: { id: 1 } } as Principal;
  fastify.decorateRequest('principal', { getter: () => principal });
  await fastify.register(multipart, {
    limits: MULTIPART_LIMITS,
    throwFileSizeLimit: false,
    isPartAFile: isFilePart,
  });
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  fastify.setErrorHandler((error, _request, reply) => {
    const { status, body } = toErrorReply(error);
    reply.code(status).send(body);
  });
  fastify.post('/', async (request) => {
    const spec = { field: 'image', fileField: 'image' };
    await using form = await receiveForm(app, request, spec, new AbortController().signal);
    return { fields: form.fields, name: form.media?.name, size: form.media?.sizeBytes };
  });
});

after(async () => {
  await fastify.close();
  await store[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function formOf(parts: readonly Part[], end = '--X--\r\n'): string {
  const texts = parts.map(({ name, file, type, text }) => {
    const fileName = file === undefined ? '' : `; filename="${file}"`;
    const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    return `--X\r\nContent-Disposition: form-data; name="${name}"${fileName}\r\n${typed}\r\n${text}\r\n`;
  });
  return texts.join('') + end;
}

const PICTURE: Part = { name: 'image', file: 'a.png', text: 'bytes' };
const READ = { name: 'a.png', size: 5 };

const CASES: readonly {
  name: string;
  payload: string;
  type?: string;
  status: number;
  body: object | RegExp;
}[] = [
  {
    name: 'fields behind the file count too',
    payload: formOf([{ name: 'a', text: '1' }, PICTURE, { name: 'b', text: '2' }]),
    status: 200,
    body: { fields: { a: '1', b: '2' }, ...READ },
  },
  {
    name: 'a picture without a name, known by its type',
    payload: formOf([{ name: 'image', type: 'image/jpeg', text: 'bytes' }]),
    status: 200,
    body: { fields: {}, name: 'unnamed', size: 5 },
  },
  {
    name: 'an unknown file is ignored',
    payload: formOf([{ name: 'other', file: 'b.png', text: 'x'.repeat(300_000) }, PICTURE]),
    status: 200,
    body: { fields: {}, ...READ },
  },
  { name: 'an empty form', payload: formOf([]), status: 200, body: { fields: {} } },
  {
    name: 'a path in the file name is cut off',
    payload: formOf([{ ...PICTURE, file: '../../a.png' }]),
    status: 200,
    body: { fields: {}, ...READ },
  },
  { name: 'two files', payload: formOf([PICTURE, PICTURE]), status: 400, body: /expected one file/ },
  {
    name: 'a field where a file belongs',
    payload: formOf([{ name: 'image', text: 'x' }]),
    status: 400,
    body: /expected a file, found a plain field/,
  },
  { name: 'an empty file', payload: formOf([{ ...PICTURE, text: '' }]), status: 400, body: /empty/ },
  {
    name: 'a long field',
    payload: formOf([PICTURE, { name: 'ref_id', text: 'x'.repeat(FIELD_BYTES_MAX + 1) }]),
    status: 400,
    body: /"ref_id":\["expected at most/,
  },
  {
    name: 'many parts',
    payload: formOf([
      PICTURE,
      ...Array.from({ length: PARTS_MAX }, (_, index) => ({ name: `f${index}`, text: '' })),
    ]),
    status: 400,
    body: /at most 32 parts/,
  },
  {
    name: 'a field that would reach a prototype',
    payload: formOf([PICTURE, { name: '__proto__', text: '1' }]),
    status: 400,
    body: /cannot be read/,
  },
  { name: 'no end', payload: formOf([PICTURE], ''), status: 400, body: /cannot be read/ },
  { name: 'no boundary', payload: 'x', type: 'multipart/form-data', status: 400, body: /cannot be read/ },
  { name: 'not a form', payload: '{}', type: 'text/plain', status: 400, body: /multipart\/form-data/ },
];

for (const { name, payload, type = 'multipart/form-data; boundary=X', status, body } of CASES) {
  test(name, async () => {
    const reply = await fastify.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': type },
      payload,
    });
    assert.equal(reply.statusCode, status, reply.body);
    if (body instanceof RegExp) assert.match(reply.body, body);
    else assert.deepEqual(reply.json(), body);
    assert.deepEqual(await readdir(join(folder.path, 'uploads')), []);
  });
}
