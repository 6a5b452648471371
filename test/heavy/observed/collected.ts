/** A box that sends traces to an OpenTelemetry collector, which goes away amid work and comes back. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestDaemon } from '../../daemon.ts';
import { awaitEnds, distinctPicture, submitPicture } from '../../faults/rounds/submissions.ts';
import { until } from '../booted/desk.ts';
import { Collector, type Span, Taken } from './collector.ts';
import { freePort } from './prometheus.ts';

const SECONDS_MAX = 120;
const SPANS = ['analysis', 'decode', 'infer', 'probe', 'store', 'submission'];

export async function judgeCollected(folder: string, program: string): Promise<void> {
  await using taken = new Taken();
  const sink = await taken.listen();
  const listen = `127.0.0.1:${await freePort()}`;
  const startCollector = () => Collector.start({ folder, program, listen, sink });
  const env = { ASSAY_TRACING_ENDPOINT: `http://${listen}` };
  await using daemon = await TestDaemon.start({ models: 'tiny', env, readyTimeoutMs: 120_000 });
  {
    await using collector = await startCollector();
    await traced(daemon, taken, { seed: 1, log: join(folder, 'otelcol.log'), collector });
  }
  const before = taken.spans.length;
  await judge(daemon, 128);
  equal(taken.spans.length, before, 'the collector is away');
  await using collector = await startCollector();
  await traced(daemon, taken, { seed: 129, log: join(folder, 'otelcol.log'), collector });
  process.stdout.write(
    `a collector has one tree of ${SPANS.length} sorts of spans for a submission; while it was away a picture was judged\n`,
  );
}

async function judge(daemon: TestDaemon, seed: number): Promise<string> {
  const identifier = await submitPicture(daemon, await distinctPicture(seed));
  deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
  return identifier;
}

interface Expected {
  seed: number;
  collector: Collector;
  log: string;
}

/** Pictures, each another one, until one is there whole: a collector that has just been started takes nothing for a while. */
async function traced(daemon: TestDaemon, taken: Taken, { seed, collector, log }: Expected): Promise<void> {
  let tries = 0;
  await until('a whole trace', SECONDS_MAX, async () => {
    ok(!collector.hasEnded, readFileSync(log, 'utf8').slice(-2000));
    tries += 1;
    const trace = (await judge(daemon, seed + tries)).slice(0, 32);
    return await until('its trace', 5, async () => (isWhole(taken.spans, trace) ? true : null)).catch(
      () => null,
    );
  });
}

function isWhole(spans: readonly Span[], trace: string): boolean {
  const own = spans.filter(({ traceId }) => traceId === trace);
  const roots = own.filter(({ parentSpanId = '' }) => parentSpanId === '');
  return roots.length === 1 && SPANS.every((name) => own.some((span) => span.name === name));
}
