/** Small pictures accepted a second over REST, 32 at a time, and the daemon's own processor time for each. */
import sharp from 'sharp';
import { TestDaemon } from '../../test/daemon.ts';
import { writeTinyPacks } from '../../test/interface/packs.ts';
import { makeTemporaryFolder } from '../../test/temporary-folder.ts';
import { inParallel } from '../in-parallel.ts';
import { stampJpeg } from '../photos.ts';
import { processorTimeOf } from '../process-tree.ts';
import { post, toForm } from '../rest-client.ts';
import { type Row, RUNS } from '../row.ts';

const PICTURES = 300;
const AT_ONCE = 32;
const SIDE = 320;

/** The models cost nothing, so that the figure is that of the upload. */
export async function measureAccepted(): Promise<Row[]> {
  await using packs = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  await using daemon = await TestDaemon.start({ env: { ASSAY_MODELS_FOLDERS: packs.path } });
  const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
  const create = { width: SIDE, height: SIDE, channels: 3 as const, background: '#888', noise };
  const picture = await sharp({ create }).jpeg().toBuffer();
  const [perSecond, milliseconds]: [number[], number[]] = [[], []];
  // The first run only warms up.
  for (let run = 0; run <= RUNS; run++) {
    const pictures = Array.from({ length: PICTURES }, (_, index) => stampJpeg(picture, `${run}/${index}`));
    const pid = daemon.process.pid ?? 0;
    const spentBefore = processorTimeOf(pid).own;
    const startedAt = performance.now();
    await inParallel(pictures, AT_ONCE, async (bytes) => void (await post(daemon.http, toForm(bytes))));
    if (run === 0) continue;
    perSecond.push(PICTURES / ((performance.now() - startedAt) / 1000));
    milliseconds.push(((processorTimeOf(pid).own - spentBefore) * 1000) / PICTURES);
  }
  const what = `small pictures, ${AT_ONCE} at once`;
  return [
    { name: `${what}: accepted`, unit: '1/s', better: 'higher', runs: perSecond },
    {
      name: `${what}: the daemon's own processor time, each`,
      unit: 'ms',
      better: 'lower',
      runs: milliseconds,
    },
  ];
}
