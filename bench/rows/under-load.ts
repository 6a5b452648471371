/** What else is asked while pictures are analysed: figures for the operator and maps for a reader, many at once. */

import { quantile } from '../../evaluate/quantile.ts';
import { TEST_KEY, TestDaemon } from '../../test/daemon.ts';
import { classifyMedia } from '../grpc-media.ts';
import { inParallel } from '../in-parallel.ts';
import { makePhotos, stampJpeg } from '../photos.ts';
import { getEndedRecord, post, toForm } from '../rest-client.ts';
import { type Row, RUNS } from '../row.ts';

const AT_ONCE = 35;
const REQUESTS = 350;
const UPLOADS = 4;

export async function measureUnderLoad(): Promise<Row[]> {
  const photos = await makePhotos();
  await using daemon = await TestDaemon.start();
  const [first] = photos;
  if (first === undefined) throw new Error('there is no photo');
  const identifier = await post(daemon.http, toForm(first, { with_heatmap: 'true' }));
  await getEndedRecord(daemon.http, identifier);
  const rows: Row[] = [];
  for (const { name, path } of [
    { name: '/metrics', path: '/metrics' },
    { name: 'a heatmap', path: `/api/classification/heatmap/${identifier}` },
  ]) {
    const runs: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const stamped = photos.map((photo) => stampJpeg(photo, `${name} ${run}`));
      const load = classifyMedia(daemon, stamped, { hands: UPLOADS, header: {} });
      const [p99] = await Promise.all([measureP99(daemon.http + path), load]);
      runs.push(p99);
    }
    rows.push({ name: `${name}, ${AT_ONCE} at once under load, p99`, unit: 'ms', better: 'lower', runs });
  }
  return rows;
}

async function measureP99(address: string): Promise<number> {
  const times: number[] = [];
  await inParallel(Array.from({ length: REQUESTS }), AT_ONCE, async () => {
    const startedAt = performance.now();
    const response = await fetch(address, { headers: { 'x-api-key': TEST_KEY } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${address} was answered ${response.status}`);
    times.push(performance.now() - startedAt);
  });
  return quantile(times, 0.99);
}
