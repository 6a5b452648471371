/** Recordings per second from upload to ended record. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FF_ENCODER_FLAC } from 'node-av/constants';
import { TestDaemon } from '../../test/daemon.ts';
import { makeSound } from '../../test/media/make-media.ts';
import { makeVoice } from '../../test/media/voice.ts';
import { BareSpeech } from '../bare-speech.ts';
import { type ClassifiedMedia, classifyMedia } from '../grpc-media.ts';
import { type Row, RUNS } from '../row.ts';
import { toStepRows } from '../step-rows.ts';

const RECORDING_COUNT = 8;
const SECONDS = 60;
const RATE = 44_100;
const TYPE = { mime: 'audio/flac', name: 'FLAC' };

export async function measureSpeech(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  const path = join(folder, 'voice.flac');
  const bytes = makeRecording();
  writeFileSync(path, bytes);
  await using daemon = await TestDaemon.start();
  await using bare = await BareSpeech.open();
  const files = Array.from({ length: RECORDING_COUNT }, () => bytes);
  const ours: ClassifiedMedia[] = [];
  const bareRuns: number[] = [];
  // The first pair only warms both up.
  for (let run = 0; run <= RUNS; run++) {
    const hands = 2 * availableParallelism();
    const classified = await classifyMedia(daemon, files, { hands, header: { noCache: true } });
    const bareSpeed = await bare.run(
      files.map(() => path),
      TYPE,
    );
    if (run === 0) continue;
    ours.push(classified);
    bareRuns.push(bareSpeed);
  }
  rmSync(folder, { recursive: true, force: true });
  const name = `recordings of ${SECONDS} s, end to end (gRPC)`;
  const runs = ours.map(({ filesPerSecond }) => filesPerSecond);
  const steps = toStepRows(
    `a recording of ${SECONDS} s`,
    ours.map(({ stepTimes }) => stepTimes),
  );
  return [{ name, unit: '1/s', better: 'higher', runs, bareRuns }, ...steps];
}

function makeRecording(): Buffer {
  const voice = makeVoice({ seconds: SECONDS, sampleRate: RATE, amplitude: 0.5 });
  const wave = (time: number) => voice[Math.floor(time * RATE)] ?? 0;
  const codec = FF_ENCODER_FLAC;
  return makeSound({ container: 'flac', codec, seconds: SECONDS, rate: RATE, channels: 1, wave });
}
