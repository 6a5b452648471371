/** GET of one ended record over REST, against a server that answers the same bytes from memory. */
import { TestDaemon } from '../../test/daemon.ts';
import { BareServer } from '../bare-server.ts';
import { type GetFigures, measureGets } from '../get-load.ts';
import { makePhoto } from '../photos.ts';
import { getEndedRecord, post, toForm } from '../rest-client.ts';
import { type Row, RUNS } from '../row.ts';

export async function measureRecords(): Promise<Row[]> {
  await using daemon = await TestDaemon.start();
  const identifier = await post(daemon.http, toForm(await makePhoto(1, 512, 512)));
  using bareServer = await BareServer.start(await getEndedRecord(daemon.http, identifier));
  const path = `/api/classification/${identifier}`;
  const ours: GetFigures[] = [];
  const bare: GetFigures[] = [];
  for (let run = 0; run < RUNS; run++) {
    ours.push(await measureGets(daemon.http + path));
    bare.push(await measureGets(bareServer.origin + path));
  }
  return [
    {
      ...{ name: 'GET record (REST, 16 connections)', unit: '1/s', better: 'higher' },
      runs: ours.map(({ perSecond }) => perSecond),
      bareRuns: bare.map(({ perSecond }) => perSecond),
    },
    {
      ...{ name: 'GET record, 99 of 100 within', unit: 'ms', better: 'lower' },
      runs: ours.map(({ p99Ms }) => p99Ms),
      bareRuns: bare.map(({ p99Ms }) => p99Ms),
    },
  ];
}
