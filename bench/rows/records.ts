/**
 * GET of one ended record over REST, against a server that answers the same bytes from memory: what a client gets, and what
 * the server's processor time is, which does not depend on how fast the client is.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeIdentity } from '../../test/certificates.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { makeTemporaryFolder } from '../../test/temporary-folder.ts';
import { BareServer } from '../bare-server.ts';
import { type GetFigures, measureGets } from '../get-load.ts';
import { makePhoto } from '../photos.ts';
import { type Answer, getEndedRecord, post, toForm } from '../rest-client.ts';
import { type Row, RUNS } from '../row.ts';
import { timeWork } from '../timed-work.ts';

const CLIENTS = 2;

interface Figures extends GetFigures {
  /** Processor time of the server for one answer. */
  microseconds: number;
}

export async function measureRecords(): Promise<Row[]> {
  return [...(await measureClear()), ...(await measureTls())];
}

/** The same record over kept connections of TLS 1.3, against the bare server over TLS. */
async function measureTls(): Promise<Row[]> {
  await using folder = await makeTemporaryFolder();
  const { identifier, answer } = await makeRecord(folder.path);
  const identity = makeIdentity({ name: 'bench' });
  const [certFile, keyFile] = [join(folder.path, 'box.pem'), join(folder.path, 'box.key')];
  await writeFile(certFile, identity.cert);
  await writeFile(keyFile, identity.key, { mode: 0o600 });
  const env = { ASSAY_TLS_CERT_FILE: certFile, ASSAY_TLS_KEY_FILE: keyFile };
  // The question for readiness does not know the certificate; a record is served before.
  await using daemon = await TestDaemon.start({ folder: folder.path, env, awaitReady: false });
  using bareServer = await BareServer.start(answer, { cert: identity.cert, key: identity.key });
  const path = `/api/classification/${identifier}`;
  const ours: Figures[] = [];
  const bare: Figures[] = [];
  for (let run = 0; run < RUNS; run++) {
    ours.push(await measure(daemon.http + path, daemon.process.pid ?? 0));
    bare.push(await measure(bareServer.origin + path, bareServer.pid));
  }
  return [
    {
      ...({ name: 'GET record (REST over TLS, 16 connections)', unit: '1/s', better: 'higher' } as const),
      runs: ours.map(({ perSecond }) => perSecond),
      bareRuns: bare.map(({ perSecond }) => perSecond),
    },
    {
      ...({ name: "GET record over TLS, the server's processor time", unit: 'µs', better: 'lower' } as const),
      runs: ours.map(({ microseconds }) => microseconds),
      bareRuns: bare.map(({ microseconds }) => microseconds),
    },
  ];
}

async function makeRecord(folder: string): Promise<{ identifier: string; answer: Answer }> {
  await using daemon = await TestDaemon.start({ folder });
  const identifier = await post(daemon.http, toForm(await makePhoto(1, 512, 512)));
  return { identifier, answer: await getEndedRecord(daemon.http, identifier) };
}

async function measureClear(): Promise<Row[]> {
  await using daemon = await TestDaemon.start();
  const identifier = await post(daemon.http, toForm(await makePhoto(1, 512, 512)));
  using bareServer = await BareServer.start(await getEndedRecord(daemon.http, identifier));
  const path = `/api/classification/${identifier}`;
  const ours: Figures[] = [];
  const bare: Figures[] = [];
  const bareOfMany: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    ours.push(await measure(daemon.http + path, daemon.process.pid ?? 0));
    bare.push(await measure(bareServer.origin + path, bareServer.pid));
    const many = await Promise.all(
      Array.from({ length: CLIENTS }, () => measureGets(bareServer.origin + path)),
    );
    bareOfMany.push(many.reduce((sum, { perSecond }) => sum + perSecond, 0));
  }
  const perSecond = { unit: '1/s', better: 'higher' } as const;
  const bareRuns = bare.map((figures) => figures.perSecond);
  return [
    {
      ...{ name: 'GET record (REST, 16 connections)', ...perSecond, bareRuns },
      runs: ours.map((figures) => figures.perSecond),
    },
    {
      ...{ name: 'GET record, 99 of 100 within', unit: 'ms', better: 'lower' },
      runs: ours.map(({ p99Ms }) => p99Ms),
      bareRuns: bare.map(({ p99Ms }) => p99Ms),
    },
    {
      ...{ name: "GET record, the server's processor time", unit: 'µs', better: 'lower' },
      runs: ours.map(({ microseconds }) => microseconds),
      bareRuns: bare.map(({ microseconds }) => microseconds),
    },
    {
      name: `GET from the bare server, ${CLIENTS} clients against one`,
      ...perSecond,
      runs: bareOfMany,
      bareRuns,
    },
  ];
}

async function measure(address: string, pid: number): Promise<Figures> {
  let figures: GetFigures | undefined;
  const { processorSeconds } = await timeWork(pid, async () => {
    figures = await measureGets(address);
  });
  if (figures === undefined) throw new Error('the client had no figures');
  return { ...figures, microseconds: (processorSeconds * 1e6) / figures.answers };
}
