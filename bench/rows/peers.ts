/**
 * The same pictures and the same model beside Assay in what people write first: a FastAPI server and the smallest
 * Node server. Neither has accounts, records, isolation, queue or copies for stability; Assay is measured with its
 * copies and without, since a peer makes none.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { quantile } from '../../evaluate/quantile.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { classifyMedia } from '../grpc-media.ts';
import { inParallel } from '../in-parallel.ts';
import { MemoryPeak } from '../memory.ts';
import { makePhotos, stampJpeg } from '../photos.ts';
import { type Row, RUNS } from '../row.ts';

const MODEL = join(import.meta.dirname, '..', '..', 'models', 'assay-transformer', 'model.onnx');
const PEERS = join(import.meta.dirname, '..', 'peers');
const PYTHON_MODULES = ['fastapi', 'uvicorn', 'onnxruntime', 'numpy', 'PIL'];
/** So many clients keep two cores busy, each with one picture at a time. */
const CLIENTS = 8;
const START_MS_MAX = 60_000;
const POLL_MS = 100;

/** Sends all pictures; returns how long each took, in seconds. */
type Send = (photos: readonly Buffer[]) => Promise<number[]>;

interface Contender extends AsyncDisposable {
  name: string;
  pid: number;
  send: Send;
}

interface Figures {
  perSecond: number;
  p99Ms: number;
  pssMib: number;
}

export async function measurePeers(): Promise<Row[]> {
  const photos = await makePhotos();
  const rows: Row[] = [];
  // The servers run one after the other: each would take the cores and the memory of the next.
  for (const open of [openAssay, openAssayWithoutCopies, openPython, openNode]) {
    await using contender = await open();
    const runs: Figures[] = [];
    // The first run only warms up.
    for (let run = 0; run <= RUNS; run++) {
      const figures = await runOnce(contender, photos, run);
      if (run > 0) runs.push(figures);
    }
    rows.push(...toRows(contender.name, runs));
  }
  return rows;
}

async function runOnce({ pid, send }: Contender, photos: readonly Buffer[], run: number): Promise<Figures> {
  const stamped = photos.map((photo) => stampJpeg(photo, `peers ${run}`));
  using memory = new MemoryPeak(pid);
  const startedAt = performance.now();
  const seconds = await send(stamped);
  const took = (performance.now() - startedAt) / 1000;
  return {
    perSecond: photos.length / took,
    p99Ms: 1000 * quantile(seconds, 0.99),
    pssMib: memory.peak.pss,
  };
}

function toRows(name: string, runs: readonly Figures[]): Row[] {
  return [
    { name: `${name}: pictures`, unit: '1/s', better: 'higher', runs: runs.map((run) => run.perSecond) },
    { name: `${name}: 99 of 100 within`, unit: 'ms', better: 'lower', runs: runs.map((run) => run.p99Ms) },
    { name: `${name}: memory peak, PSS`, unit: 'MiB', better: 'lower', runs: runs.map((run) => run.pssMib) },
  ];
}

async function openAssay(): Promise<Contender> {
  return toContender('Assay', await TestDaemon.start());
}

async function openAssayWithoutCopies(): Promise<Contender> {
  const daemon = await TestDaemon.start({ env: { ASSAY_ANALYSIS_STABILITY: 'false' } });
  return toContender('Assay without stability copies', daemon);
}

function toContender(name: string, daemon: TestDaemon): Contender {
  return {
    ...{ name, pid: daemon.process.pid ?? 0 },
    send: async (photos) => (await classifyMedia(daemon, photos, { hands: CLIENTS, header: {} })).fileSeconds,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

/** ASSAY_PEERS_PYTHON names an interpreter that has the modules; without one the row says which are lacking. */
async function openPython(): Promise<Contender> {
  const python = process.env.ASSAY_PEERS_PYTHON ?? 'python3';
  execFileSync(python, ['-c', `import ${PYTHON_MODULES.join(', ')}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return await openPeer('FastAPI', python, 'server.py');
}

async function openNode(): Promise<Contender> {
  return await openPeer('node:http', process.execPath, 'server.ts');
}

async function openPeer(name: string, program: string, file: string): Promise<Contender> {
  const port = await findPort();
  const child = spawn(program, [join(PEERS, file), MODEL, `${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}/`;
  await awaitAnswer(child, url);
  return {
    ...{ name, pid: child.pid ?? 0 },
    send: (photos) => sendAll(url, photos),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Neither server can say which port it was given, so one that is free a moment before is named to it. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function awaitAnswer(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  while (Date.now() < deadline && child.exitCode === null) {
    const answers = await fetch(url).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (answers) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`the peer ${child.spawnfile} did not start`);
}

async function sendAll(url: string, photos: readonly Buffer[]): Promise<number[]> {
  const seconds: number[] = [];
  await inParallel(photos, CLIENTS, async (photo, index) => {
    const startedAt = performance.now();
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(photo) });
    const body = await response.text();
    if (!response.ok) throw new Error(`a peer answered ${response.status}: ${body}`);
    seconds[index] = (performance.now() - startedAt) / 1000;
  });
  return seconds;
}
