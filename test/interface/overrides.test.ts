/** docs/interface.md, Override a classification: by hash and kind, for every submission that shares the hash. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeClip, makePicture, makeSpeech } from './media.ts';
import { addCustomer, type Customer, type Service, shareService } from './service.ts';

let service: Service;
let customer: Customer;
let other: Customer;
before(async () => {
  service = await shareService();
  customer = await addCustomer(service);
  other = await addCustomer(service);
});
after(async () => await service[Symbol.asyncDispose]());

const PATHS = [
  { path: '/api/classification', kind: 'image', media: () => makePicture() },
  { path: '/api/classification_image', kind: 'image', media: () => makePicture() },
  { path: '/api/classification_video', kind: 'video', media: async () => makeClip() },
  { path: '/api/classification_audio', kind: 'audio', media: async () => makeSpeech() },
] as const;

for (const { path, kind, media } of PATHS) {
  test(`POST ${path}/{hash}/override: the result, and "applies to every submission that shares the hash"`, async () => {
    const bytes = await media();
    const first = await customer.classify(kind, { [kind]: bytes });
    assert.equal('force_classification' in first, false, '"present only if the user forced"');
    const { hash, verdict } = first;
    for (const classification of ['human', 'artificial']) {
      const { status, body } = await customer.postJson(`${path}/${hash}/override`, { classification });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body, { classification, type: kind, hash });
    }
    const later = await customer.classify(kind, { [kind]: bytes });
    const anew = await customer.classify(kind, { [kind]: bytes, no_cache: 'true' });
    const again = await customer.ended(kind, first.identifier);
    for (const record of [again, later, anew]) {
      assert.equal(record.force_classification, 'artificial');
      assert.deepEqual(record.verdict, verdict, 'what was measured stays');
    }
    const foreign = await other.classify(kind, { [kind]: bytes });
    assert.equal('force_classification' in foreign, false, 'it is the account’s own');
  });

  test(`POST ${path}/{hash}/override: a hash that the account has not submitted as ${kind} is 404`, async () => {
    const foreign = await other.classify(kind, { [kind]: await media() });
    for (const hash of ['0'.repeat(64), foreign.hash]) {
      const { status, body } = await customer.postJson(`${path}/${hash}/override`, {
        classification: 'human',
      });
      assert.deepEqual([status, Object.keys(body)], [404, ['error']]);
    }
  });

  test(`POST ${path}/{hash}/override: "classification (string, required, human or artificial)"`, async () => {
    const { hash } = await customer.classify(kind, { [kind]: await media() });
    for (const body of [{}, { classification: 'fake' }, { classification: null }, [], 'human']) {
      const answer = await customer.postJson(`${path}/${hash}/override`, body);
      assert.deepEqual([answer.status, Object.keys(answer.body.error)], [400, ['classification']]);
    }
    const wrong = await customer.postJson(`${path}/xyz/override`, { classification: 'human' });
    assert.deepEqual([wrong.status, Object.keys(wrong.body.error)], [400, ['hash']]);
  });
}

test('an override of one kind leaves the other kinds alone', async () => {
  const { hash } = await customer.classify('image', { image: await makePicture() });
  const answer = await customer.postJson(`/api/classification_audio/${hash}/override`, {
    classification: 'human',
  });
  assert.equal(answer.status, 404);
});

test('"override bodies are application/json": another type is 400', async () => {
  const { hash } = await customer.classify('image', { image: await makePicture() });
  const { status, body } = await customer.post(`/api/classification/${hash}/override`, {
    classification: 'human',
  });
  assert.deepEqual([status, Object.keys(body.error)], [400, ['classification']]);
});
