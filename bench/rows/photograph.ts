/** One photograph of 12 megapixels on an idle box, as its user waits for it: from `assay classify` to the verdict. */
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reach, runCommand } from '../../test/command-line.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { makePhoto, stampJpeg } from '../photos.ts';
import { type Row, RUNS } from '../row.ts';

const [WIDTH, HEIGHT] = [4000, 3000];

export async function measurePhotograph(): Promise<Row[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
  const photo = await makePhoto(1, WIDTH, HEIGHT);
  await using daemon = await TestDaemon.start();
  // A home, in which the launcher keeps what it compiled, as its user has one.
  const env = { ...reach(daemon), HOME: folder.path };
  const whole: number[] = [];
  const inDaemon: number[] = [];
  // The first one only warms up.
  for (let run = 0; run <= RUNS; run++) {
    const path = join(folder.path, `${run}.jpg`);
    writeFileSync(path, stampJpeg(photo, `run ${run}`));
    const startedAt = performance.now();
    const { code, stdout, stderr } = await runCommand(['classify', path, '--json'], env);
    const milliseconds = performance.now() - startedAt;
    if (code !== 0) throw new Error(`assay classify ended with ${code}: ${stderr}`);
    if (run === 0) continue;
    whole.push(milliseconds);
    const { created_at, ended_at } = JSON.parse(stdout) as { created_at: string; ended_at: string };
    inDaemon.push(Date.parse(ended_at) - Date.parse(created_at));
  }
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    { ...row, name: 'a photograph of 12 MP, from assay classify to the verdict', runs: whole },
    { ...row, name: 'a photograph of 12 MP, from its acceptance to its end', runs: inDaemon },
  ];
}
