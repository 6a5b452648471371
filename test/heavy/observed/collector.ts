/** An OpenTelemetry collector on loopback, built from Go modules without its scraper, whose traces are read as JSON. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { goTool, have } from '../foreign/tools.ts';

const VERSION = 'v0.165.0';
const BUILDER = `go.opentelemetry.io/collector/cmd/builder@${VERSION}`;
const MODULES = {
  receivers: [`go.opentelemetry.io/collector/receiver/otlpreceiver ${VERSION}`],
  exporters: [`go.opentelemetry.io/collector/exporter/otlphttpexporter ${VERSION}`],
  providers: ['go.opentelemetry.io/collector/confmap/provider/fileprovider v1.71.0'],
} as const;
const BUILD_MS_MAX = 15 * 60_000;

/** The program's path; Unavailable where its modules cannot be had. */
export async function buildCollector(folder: string): Promise<string> {
  const builder = await goTool({ folder }, BUILDER);
  const out = join(folder, 'otelcol');
  const modules = Object.entries(MODULES).map(([sort, names]) => [sort, names.map((gomod) => ({ gomod }))]);
  const manifest = {
    dist: { name: 'otelcol', output_path: out },
    conf_resolver: { default_uri_scheme: 'file' },
    ...Object.fromEntries(modules),
  };
  const path = join(folder, 'otelcol-builder.json');
  // JSON is YAML.
  await writeFile(path, JSON.stringify(manifest));
  await have(builder, ['--config', path], { msMax: BUILD_MS_MAX });
  return join(out, 'otelcol');
}

export interface Span {
  traceId: string;
  parentSpanId?: string;
  name: string;
}

interface Handed {
  resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
}

/** What the collector handed on. */
export class Taken implements AsyncDisposable {
  readonly spans: Span[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      this.#take(JSON.parse(await text(request)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #take({ resourceSpans = [] }: Handed): void {
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) this.spans.push(...spans);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export interface CollectorOrder {
  folder: string;
  program: string;
  /** Where boxes send traces: host and port. */
  listen: string;
  /** Where it hands on what it has. */
  sink: string;
}

export class Collector implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({ folder, program, listen, sink }: CollectorOrder): Promise<Collector> {
    const config = {
      receivers: { otlp: { protocols: { http: { endpoint: listen } } } },
      exporters: { otlp_http: { endpoint: sink, encoding: 'json', compression: 'none' } },
      service: {
        telemetry: { metrics: { level: 'none' } },
        pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
      },
    };
    const path = join(folder, 'otelcol.json');
    await writeFile(path, JSON.stringify(config));
    const output = openSync(join(folder, 'otelcol.log'), 'a');
    const child = spawn(program, ['--config', `file:${path}`], { stdio: ['ignore', output, output] });
    closeSync(output);
    return new Collector(child);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
