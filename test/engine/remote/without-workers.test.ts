import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';

test('without nats.servers nothing of NATS is loaded', async () => {
  const loaded: string[] = [];
  registerHooks({
    resolve(specifier, context, next) {
      loaded.push(specifier);
      return next(specifier, context);
    },
  });
  const { openServedApp } = await import('../../app/open-app.ts');
  await using box = await openServedApp({ ASSAY_WORKERS_LISTEN: '127.0.0.1:0' });
  assert.equal(box.app.remote, null);
  assert.ok(loaded.some((specifier) => specifier.endsWith('engine.ts')));
  const found = loaded.filter((specifier) => /@nats-io|compose-remote|worker-media/.test(specifier));
  assert.deepEqual(found, []);
});
