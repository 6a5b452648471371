/** Recordings per second from upload to ended record. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FF_ENCODER_FLAC } from 'node-av/constants';
import { TestDaemon } from '../../test/daemon.ts';
import { makeSound } from '../../test/media/make-media.ts';
import { makeVoice } from '../../test/media/voice.ts';
import { BareSpeech } from '../bare-speech.ts';
import { type EndToEndRun, toEndToEndRows } from '../end-to-end-rows.ts';
import { classifyMedia } from '../grpc-media.ts';
import { type Row, RUNS } from '../row.ts';

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
  const runs: EndToEndRun[] = [];
  // The first pair of runs only warms both up.
  for (let run = 0; run <= RUNS; run++) {
    const hands = 2 * availableParallelism();
    const ours = await classifyMedia(daemon, files, { hands, header: { noCache: true } });
    const bareRun = await bare.run(
      files.map(() => path),
      TYPE,
    );
    if (run > 0) runs.push({ ours, bare: bareRun });
  }
  rmSync(folder, { recursive: true, force: true });
  const what = `a recording of ${SECONDS} s`;
  return toEndToEndRows(runs, { what, many: `recordings of ${SECONDS} s,`, count: files.length });
}

function makeRecording(): Buffer {
  const voice = makeVoice({ seconds: SECONDS, sampleRate: RATE, amplitude: 0.5 });
  const wave = (time: number) => voice[Math.floor(time * RATE)] ?? 0;
  const codec = FF_ENCODER_FLAC;
  return makeSound({ container: 'flac', codec, seconds: SECONDS, rate: RATE, channels: 1, wave });
}
