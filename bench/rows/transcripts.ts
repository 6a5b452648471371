/**
 * How long writing down a minute of speech takes, alone on the box. The repository holds a few seconds of speech only, and a made voice
 * says no words, so the recording is named: ASSAY_BENCH_SPEECH.
 */
import { readFile } from 'node:fs/promises';
import { TestDaemon } from '../../test/daemon.ts';
import { classifyMedia } from '../grpc-media.ts';
import type { Row } from '../row.ts';

/** Each is a minute and more of both cores' time. */
const TRANSCRIPT_RUNS = 3;
const STEP = 'transcript';

export async function measureTranscripts(): Promise<Row[]> {
  const path = process.env.ASSAY_BENCH_SPEECH;
  if (path === undefined) throw new Error('ASSAY_BENCH_SPEECH names no recording of a minute of speech');
  const recording = await readFile(path);
  await using daemon = await TestDaemon.start();
  const whole: number[] = [];
  const written: number[] = [];
  const processor: number[] = [];
  // The first only brings the models up.
  for (let run = 0; run <= TRANSCRIPT_RUNS; run++) {
    const header = { noCache: true, options: { withTranscript: true } };
    const { fileSeconds, stepTimes, processorSeconds } = await classifyMedia(daemon, [recording], {
      hands: 1,
      header,
    });
    if (run === 0) continue;
    const step = stepTimes[0]?.find((one) => one.step === STEP);
    if (step === undefined) throw new Error('the recording has no transcript');
    whole.push(fileSeconds[0] ?? Number.NaN);
    written.push(step.seconds);
    processor.push(processorSeconds);
  }
  const row = { unit: 's', better: 'lower' } as const;
  return [
    { ...row, name: 'a minute of speech with its transcript, from upload to ended record', runs: whole },
    { ...row, name: 'writing it down', runs: written },
    { ...row, name: 'the whole, processor time', runs: processor },
  ];
}
