/** What a client may send before the daemon has read any of it, as an HTTP/2 client without grpc-js sees it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { openServedApp } from '../app/open-app.ts';

const CHUNK_BYTES = 256 * 1024;

test('a connection takes two chunks ahead, on each of its streams and altogether', async () => {
  await using open = await openServedApp();
  const session = connect(`http://${open.daemon.grpc.address}`);
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/assay.v1.ClassificationService/SubmitMedia',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.resume();
    while (session.remoteSettings.initialWindowSize !== 2 * CHUNK_BYTES)
      await once(session, 'remoteSettings');
    stream.end();
    await once(stream, 'close');
    assert.ok((session.state.remoteWindowSize ?? 0) >= 2 * CHUNK_BYTES);
  } finally {
    session.destroy();
  }
});
