/** docs/interface.md, Limits and Versioning. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { AUDIO_BYTES_MAX, IMAGE_BYTES_MAX } from '../../src/domain/limits.ts';
import { makeClip, makePicture, makeSpeech } from './media.ts';
import { addCustomer, type Customer, type Service, shareService } from './service.ts';

let service: Service;
let customer: Customer;
before(async () => {
  service = await shareService();
  customer = await addCustomer(service);
});
after(async () => await service[Symbol.asyncDispose]());

const SIZES = [
  { kind: 'image', maximum: IMAGE_BYTES_MAX, media: () => makePicture() },
  {
    kind: 'audio',
    maximum: AUDIO_BYTES_MAX,
    media: async () => makeSpeech({ container: 'wav', codec: 'pcm_s16le' as never }),
  },
] as const;

for (const { kind, maximum, media } of SIZES) {
  test(`"maximum ${kind} file size 15 MB" is 15,728,640 bytes: that is taken, one more is 413`, async () => {
    assert.equal(maximum, 15 * 1024 * 1024);
    const whole = await media();
    const fill = (size: number): Buffer => Buffer.concat([whole, Buffer.alloc(size - whole.length)]);
    const taken = await customer.post(`/api/classification_${kind}`, { [kind]: fill(maximum) });
    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    const { status, body } = await customer.post(`/api/classification_${kind}`, {
      [kind]: fill(maximum + 1),
    });
    assert.deepEqual([status, Object.keys(body.error)], [413, [kind]]);
    assert.match(body.error[kind].join(), /15728641.*15728640/);
  });

  test(`"${kind} from address: 15 MB": a larger one ends errored`, async () => {
    const server = createServer((_request, response) => response.end(Buffer.alloc(maximum + 1)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const file_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/large`;
    const identifier = await customer.submit(`/api/${kind}_fromurl`, { file_url });
    const record = await customer.ended(kind, identifier);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    assert.equal(record.status, 'errored');
    assert.match(record.errors, /15728640/);
  });
}

test('a plan may allow less than 15 MB', async () => {
  const small = await addCustomer(service, { plan: { image_bytes_max: 1000 } });
  const { status, body } = await small.post('/api/classification', { image: await makePicture() });
  assert.equal(status, 413);
  assert.match(body.error.image.join(), /1000/);
});

test('"minimum image short side: per model": a submission below it is 422 naming model and sizes', async () => {
  const image = await makePicture({ width: 500, height: 120 });
  const { status, body } = await customer.post('/api/classification', { image });
  assert.deepEqual([status, Object.keys(body.error)], [422, ['image']]);
  assert.match(body.error.image.join(), /tiny-fine.*200.*120/);
});

test('"minimum video height": a submission below it is 422', async () => {
  const video = makeClip({ width: 320, height: 208 });
  const strict = await addCustomer(service, { plan: { video_height_min: 240 } });
  const { status, body } = await strict.post('/api/classification_video', { video });
  assert.deepEqual([status, Object.keys(body.error)], [422, ['video']]);
});

test('a form of more than 32 parts is 400', async () => {
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, 'x']));
  const { status, body } = await customer.post('/api/classification', fields);
  assert.deepEqual([status, Object.keys(body.error)], [400, ['image']]);
});

test('"records carry api_version, the service version at analysis time"', async () => {
  const record = await customer.classify('image', { image: await makePicture() });
  assert.equal(record.api_version, '1.1.0');
});

test('"the interface description carries version 1.0.0"', async () => {
  const response = await fetch(`${service.url}/openapi.json`);
  const description = (await response.json()) as { openapi: string; info: { version: string } };
  assert.equal(description.openapi, '3.1.0');
  assert.equal(description.info.version, '1.0.0');
});
