/** Uploads of a megabyte to five gigabytes: what a file costs must grow as its bytes do, and the daemon's memory not at all. */
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { TEST_KEY, TestDaemon } from '../../test/daemon.ts';
import { pidOf } from '../../test/faults/rounds/submissions.ts';
import { makeBigMedia } from '../big-media.ts';
import { forget, uploadByRest } from '../big-uploads.ts';
import { MemoryPeak } from '../memory.ts';
import { type Row, RUNS } from '../row.ts';

const MB = 1_000_000;
const SIZES_MB = [1, 10, 100, 1_000, 5_000];
/** The long uploads vary little by themselves. */
const RUNS_BYTES_MAX = 1_000 * MB;

export async function measureSizes(): Promise<Row[]> {
  await using daemon = await TestDaemon.start();
  const secure = credentials.createInsecure();
  using client = new AssayClient({ address: daemon.grpc, credentials: secure }, TEST_KEY);
  const rows: Row[] = [];
  for (const megabytes of SIZES_MB) {
    const sizeBytes = megabytes * MB;
    const speeds: number[] = [];
    using memory = new MemoryPeak(pidOf(daemon));
    const runs = sizeBytes >= RUNS_BYTES_MAX ? 1 : RUNS;
    // The first of all only warms up.
    for (let run = rows.length === 0 ? -1 : 0; run < runs; run++) {
      const upload = await uploadByRest(daemon.http, makeBigMedia(sizeBytes, `${megabytes} MB, run ${run}`));
      await forget(client, upload);
      if (run >= 0) speeds.push(upload.speed);
    }
    rows.push(
      { name: `upload of ${megabytes} MB (REST)`, unit: 'MB/s', better: 'higher', runs: speeds },
      { name: `its daemon's memory, peak`, unit: 'MiB', better: 'lower', runs: [memory.peak.daemon] },
    );
  }
  return rows;
}
