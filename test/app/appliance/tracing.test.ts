/** Traces of a submission, as a real OTLP/HTTP receiver gets them: its steps in one tree, and nothing of the medium. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { loadSettings } from '../../../src/config/settings.ts';
import { epochMs } from '../../../src/machinery/span-times.ts';
import { Tracing } from '../../../src/machinery/tracing.ts';
import { TEST_KEY, TestDaemon } from '../../daemon.ts';
import { patternImage } from '../../media/pictures.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

async function openReceiver() {
  const bodies: string[] = [];
  const headers: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.headers.authorization);
    bodies.push(request.url === '/v1/traces' ? await text(request) : 'elsewhere');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = (): Span[] =>
    bodies.flatMap((body) => {
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    });
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, bodies, headers, spans },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function submit(daemon: TestDaemon): Promise<string> {
  const form = new FormData();
  const picture = await patternImage(320, 240).png().toBuffer();
  form.append(
    'image',
    new Blob([Uint8Array.from(picture)], { type: 'image/png' }),
    'minister-at-the-villa.png',
  );
  form.append('ref_id', 'case-0042');
  const headers = { 'x-api-key': TEST_KEY, accept: 'application/json' };
  const address = `${daemon.http}/api/classification_image`;
  const response = await fetch(address, { method: 'POST', body: form, headers });
  const answer = await response.text();
  const identifier = /[0-9a-f]{64}/.exec(answer)?.[0];
  ok(identifier !== undefined, answer);
  return identifier;
}

test('a submission and its analysis are one trace', async () => {
  await using receiver = await openReceiver();
  const env = {
    ASSAY_TRACING_ENDPOINT: receiver.url,
    ASSAY_TRACING_AUTHORIZATION: 'Bearer of-the-collector',
  };
  await using daemon = await TestDaemon.start({ models: 'tiny', env });
  const identifier = await submit(daemon);
  const hasEnded = () => receiver.spans().some(({ name }) => name === 'analysis');
  for (let count = 0; !hasEnded() && count < 200; count++) await delay(100);
  const spans = receiver.spans();
  const named = (name: string): Span => {
    const found = spans.find((span) => span.name === name);
    ok(found !== undefined, `no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
    return found;
  };
  for (const { traceId } of spans) equal(traceId, identifier.slice(0, 32));
  const root = named('submission');
  equal(root.parentSpanId ?? '', '');
  const analysis = named('analysis');
  for (const child of [named('probe'), analysis]) equal(child.parentSpanId, root.spanId);
  for (const step of ['decode', 'infer', 'store']) equal(named(step).parentSpanId, analysis.spanId);
  equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano));
  const attributes = root.attributes.map(({ key }) => key).sort();
  deepEqual(attributes, ['assay.identifier', 'facade', 'kind', 'sizeBytes']);
  ok(receiver.headers.every((header) => header === 'Bearer of-the-collector'));
  for (const secret of ['minister', 'case-0042', TEST_KEY])
    ok(!receiver.bodies.join('').includes(secret), secret);
});

test('a collector that does not answer holds up neither work nor the stop', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const tracing = new Tracing({ endpoint: `http://127.0.0.1:${port}`, authorization: null });
  const times = { startedAt: epochMs(), endedAt: epochMs() };
  const startedAt = performance.now();
  // More than may wait: what is too much is dropped, not kept.
  for (let count = 0; count < 10_000; count++)
    tracing.submitted(count.toString(16).padStart(64, 'a'), times, {}, null);
  ok(performance.now() - startedAt < 5_000);
  const stoppedAt = performance.now();
  await tracing[Symbol.asyncDispose]();
  ok(performance.now() - stoppedAt < 5_000);
  silent.closeAllConnections();
  silent.close();
});

test('traces cross no network in clear text', () => {
  const load = (endpoint: string) =>
    loadSettings({ argv: [], env: { ASSAY_TRACING_ENDPOINT: endpoint }, readFile: () => '' });
  throws(
    () => load('http://collector.example.org:4318'),
    /tracing\.endpoint .*expected https, or http to a loopback/,
  );
  throws(() => load('https://user:pass@collector.example.org'), /expected an address like/);
  equal(load('https://collector.example.org').tracing?.endpoint, 'https://collector.example.org');
  equal(load('http://[::1]:4318').tracing?.endpoint, 'http://[::1]:4318');
});
