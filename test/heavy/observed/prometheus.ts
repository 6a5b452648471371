/** Debian's Prometheus on loopback, with rules and what it is to scrape. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const SCRAPE_INTERVAL = '1s';
const READY_SECONDS_MAX = 60;
const POLL_MS = 500;

export interface Row {
  metric: Readonly<Record<string, string>>;
  value: [number, string];
}

export class Prometheus implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #origin: string;
  readonly #log: string;

  private constructor(child: ChildProcess, origin: string, log: string) {
    this.#child = child;
    this.#origin = origin;
    this.#log = log;
  }

  /** `target` is host and port; `rules` a file of rules. */
  static async start(folder: string, target: string, rules: string): Promise<Prometheus> {
    const port = await freePort();
    const config = {
      global: { scrape_interval: SCRAPE_INTERVAL, evaluation_interval: SCRAPE_INTERVAL },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'assay', static_configs: [{ targets: [target] }] }],
    };
    // JSON is YAML.
    const path = join(folder, 'prometheus.json');
    await writeFile(path, JSON.stringify(config));
    const log = join(folder, 'prometheus.log');
    const output = openSync(log, 'a');
    const listen = `127.0.0.1:${port}`;
    const args = [`--config.file=${path}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    const child = spawn('prometheus', [...args, `--web.listen-address=${listen}`], {
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const prometheus = new Prometheus(child, `http://${listen}`, log);
    await prometheus.#ready();
    return prometheus;
  }

  async #ready(): Promise<void> {
    const deadline = performance.now() + READY_SECONDS_MAX * 1000;
    while (performance.now() < deadline) {
      const answer = await fetch(`${this.#origin}/-/ready`).catch(() => null);
      if (answer?.status === 200) return;
      await delay(POLL_MS);
    }
    throw new Error(`Prometheus is not ready:\n${readFileSync(this.#log, 'utf8').slice(-2000)}`);
  }

  async query(expression: string): Promise<Row[]> {
    const answer = await fetch(`${this.#origin}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const body = (await answer.json()) as { status: string; error?: string; data: { result: Row[] } };
    if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
    return body.data.result;
  }

  async isFiring(alert: string): Promise<boolean> {
    return (await this.query(`ALERTS{alertname="${alert}",alertstate="firing"}`)).length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
