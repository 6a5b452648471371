/** Submissions as OpenTelemetry traces, found by the first half of an identifier; they hold no names, no references. */
import { createHash } from 'node:crypto';
import { ROOT_CONTEXT, type SpanContext, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type IdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Analysis } from '../domain/records/classification.ts';
import { MICROSECONDS_PER_MS } from '../domain/time.ts';
import { VERSION } from '../domain/version.ts';
import { epochMs, type SpanTimes } from './span-times.ts';

export interface TracingConfig {
  /** Base of the collector's OTLP/HTTP addresses, without a trailing slash. */
  endpoint: string;
  /** The header `authorization`; null if the collector wants none. */
  authorization: string | null;
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Spans beyond this are dropped while the collector is away. */
const WAITING_MAX = 4096;
const BATCH_MAX = 256;
const PAUSE_MS = 1000;
const SEND_TIMEOUT_MS = 10_000;
/** A stop must not wait for a collector that does not answer. */
const STOP_TIMEOUT_MS = 2_000;

const TRACE_CHARACTERS = 32;
const SPAN_CHARACTERS = 16;

/** Hands out the ids of the next span: both follow from the record, so that nothing has to be remembered. */
class ChosenIds implements IdGenerator {
  traceId = '';
  spanId = '';

  generateTraceId(): string {
    return this.traceId;
  }

  generateSpanId(): string {
    return this.spanId;
  }
}

export class Tracing implements AsyncDisposable {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #ids = new ChosenIds();
  #stepNumber = 0;

  constructor({ endpoint, authorization }: TracingConfig) {
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: authorization === null ? {} : { authorization },
      timeoutMillis: SEND_TIMEOUT_MS,
    });
    const bounds = { maxQueueSize: WAITING_MAX, maxExportBatchSize: BATCH_MAX };
    const times = { scheduledDelayMillis: PAUSE_MS, exportTimeoutMillis: SEND_TIMEOUT_MS };
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'assay', 'service.version': VERSION }),
      idGenerator: this.#ids,
      spanProcessors: [new BatchSpanProcessor({ exporter, ...bounds, ...times })],
    });
    this.#tracer = this.#provider.getTracer('assay', VERSION);
  }

  /** Reports an accepted submission and what it waited for. */
  submitted(identifier: string, times: SpanTimes, attributes: Attributes, probe: SpanTimes | null): void {
    const root = rootOf(identifier);
    this.#emit({ context: root, parentId: null, name: 'submission', times, attributes });
    if (probe === null) return;
    const context = { ...root, spanId: spanIdOf(`${identifier}/probe`) };
    this.#emit({ context, parentId: root.spanId, name: 'probe', times: probe, attributes: {} });
  }

  stepped(identifier: string, analysisId: string, step: string, seconds: number): void {
    const endedAt = epochMs();
    const times = { startedAt: endedAt - seconds * 1000, endedAt };
    this.#stepNumber += 1;
    const spanId = spanIdOf(`${analysisId}/${step}/${this.#stepNumber}`);
    const context = { ...rootOf(identifier), spanId };
    this.#emit({ context, parentId: spanIdOf(analysisId), name: step, times, attributes: {} });
  }

  /** Covers an analysis from its place in the queue to its end. */
  ended(identifier: string, { id, kind, state, attempts, models, queuedAt, endedAt }: Analysis): void {
    const root = rootOf(identifier);
    const times = {
      startedAt: queuedAt / MICROSECONDS_PER_MS,
      endedAt: (endedAt ?? queuedAt) / MICROSECONDS_PER_MS,
    };
    const attributes = { kind, state, attempts, models: models.join(' ') };
    const context = { ...root, spanId: spanIdOf(id) };
    this.#emit({ context, parentId: root.spanId, name: 'analysis', times, attributes });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const bound = new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref());
    // A collector that is away must not make the stop fail.
    await Promise.race([this.#provider.shutdown().catch(() => {}), bound]);
  }

  #emit({ context, parentId, name, times, attributes }: NewSpan): void {
    this.#ids.traceId = context.traceId;
    this.#ids.spanId = context.spanId;
    const above =
      parentId === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...context, spanId: parentId });
    const options = { startTime: times.startedAt, attributes: { ...attributes } };
    const span = this.#tracer.startSpan(name, options, above);
    span.setAttribute('assay.identifier', context.identifier);
    span.end(Math.max(times.startedAt, times.endedAt));
  }
}

interface RecordContext extends SpanContext {
  identifier: string;
}

interface NewSpan {
  context: RecordContext;
  parentId: string | null;
  name: string;
  times: SpanTimes;
  attributes: Attributes;
}

function rootOf(identifier: string): RecordContext {
  return {
    identifier,
    traceId: identifier.slice(0, TRACE_CHARACTERS),
    spanId: identifier.slice(TRACE_CHARACTERS, TRACE_CHARACTERS + SPAN_CHARACTERS),
    traceFlags: TraceFlags.SAMPLED,
  };
}

function spanIdOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SPAN_CHARACTERS);
}
