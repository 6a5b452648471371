/** Pictures per second from upload to ended record, and the daemon's memory meanwhile. */
import { availableParallelism } from 'node:os';
import { TestDaemon } from '../../test/daemon.ts';
import { BareLoop } from '../bare-loop.ts';
import { type EndToEndRun, toEndToEndRows } from '../end-to-end-rows.ts';
import { classifyMedia } from '../grpc-media.ts';
import { type MemoryMib, MemoryPeak, readMemory } from '../memory.ts';
import { makePhotos, stampJpeg } from '../photos.ts';
import { type Row, RUNS } from '../row.ts';
import type { WorkTime } from '../timed-work.ts';

/** Twice as many pictures are sent as are analysed at once, so that the queue never runs dry. */
const UPLOADS = 4 * availableParallelism();
/** The bench waits so long after `ready`: the start then has given back most of what it allocated. */
const SETTLE_MS = 3000;

interface Run extends EndToEndRun {
  bareWithoutStability: WorkTime;
  peak: MemoryMib;
}

export async function measurePhotos(): Promise<Row[]> {
  const photos = await makePhotos();
  await using bare = await BareLoop.open(photos);
  await using daemon = await TestDaemon.start();
  const pid = daemon.process.pid ?? 0;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const idle = readMemory(pid);
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run++) {
    const stamped = photos.map((photo) => stampJpeg(photo, `run ${run}`));
    using memory = new MemoryPeak(pid);
    const ours = await classifyMedia(daemon, stamped, { hands: UPLOADS, header: {} });
    const peak = { ...memory.peak };
    const bareRun = await bare.run({ withStability: true });
    const bareWithoutStability = await bare.run({ withStability: false });
    runs.push({ ours, bare: bareRun, bareWithoutStability, peak });
  }
  const ofAll = { what: 'a picture', many: 'pictures', count: photos.length };
  return [...toEndToEndRows(runs, ofAll), toStabilityRow(runs), ...toMemoryRows(idle, runs)];
}

function toStabilityRow(runs: readonly Run[]): Row {
  return {
    ...{ name: 'time spent on stability (bare loop)', unit: '%', better: 'lower' },
    runs: runs.map(
      ({ bare, bareWithoutStability }) => 100 * (1 - bareWithoutStability.seconds / bare.seconds),
    ),
  };
}

function toMemoryRows(idle: MemoryMib, runs: readonly Run[]): Row[] {
  const row = { unit: 'MiB', better: 'lower' } as const;
  return [
    { ...row, name: 'memory idle, daemon', runs: [idle.daemon] },
    { ...row, name: 'memory idle, with its workers', runs: [idle.tree] },
    { ...row, name: 'memory idle, all processes, PSS', runs: [idle.pss] },
    { ...row, name: 'memory peak, daemon', runs: runs.map(({ peak }) => peak.daemon) },
    { ...row, name: 'memory peak, with its workers', runs: runs.map(({ peak }) => peak.tree) },
    { ...row, name: 'memory peak, all processes, PSS', runs: runs.map(({ peak }) => peak.pss) },
  ];
}
