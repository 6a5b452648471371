/** One upload of 15 MB over REST until its identifier is back, against a server that only writes and hashes. */
import { TestDaemon } from '../../test/daemon.ts';
import { BareServer } from '../bare-server.ts';
import { makePhoto, padJpeg, stampJpeg } from '../photos.ts';
import { getEndedRecord, post, toForm } from '../rest-client.ts';
import { type Row, RUNS } from '../row.ts';

const SIZE_BYTES = 15_000_000;
const MB = 1_000_000;

export async function measureUploads(): Promise<Row[]> {
  await using daemon = await TestDaemon.start();
  using bareServer = await BareServer.start();
  const photo = await makePhoto(1, 512, 512);
  const ours: number[] = [];
  const bare: number[] = [];
  // The first pair only warms both up.
  for (let run = 0; run <= RUNS; run++) {
    const form = toForm(padJpeg(stampJpeg(photo, `run ${run}`), SIZE_BYTES));
    const { speed, answer } = await timePost(daemon.http, form);
    // Its analysis would take the cores from the next upload.
    await getEndedRecord(daemon.http, answer);
    const { speed: bareSpeed } = await timePost(bareServer.origin, form);
    if (run === 0) continue;
    ours.push(speed);
    bare.push(bareSpeed);
  }
  const name = 'upload of 15 MB (REST)';
  return [{ name, unit: 'MB/s', better: 'higher', runs: ours, bareRuns: bare }];
}

async function timePost(origin: string, form: Buffer): Promise<{ speed: number; answer: string }> {
  const startedAt = performance.now();
  const answer = await post(origin, form);
  return { speed: form.length / MB / ((performance.now() - startedAt) / 1000), answer };
}
