/**
 * A recording as voice codecs, lost packets and a denoiser leave it, decoded again into a WAV file. Debian's ffmpeg has these
 * encoders, `sox` the one of AMR; the library that the daemon decodes with has not.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toWave } from './wave.ts';

/** How one copy is made. The sound has `rate` hertz before and after. */
interface Chain {
  rate: 8_000 | 16_000;
  /** Encoder, its options and the container, for ffmpeg; absent where nothing is encoded. */
  encode?: string;
  /** The mode of AMR in place of an encoder: 0 to 7 for 4.75 to 12.2 kb/s. */
  amrMode?: number;
  filter?: string;
  /** Percentage of packets of 20 ms that are lost; each is concealed by the packet before it. */
  lostPercent?: number;
}

const speex = (rate: Chain['rate'], bits: string): Chain => ({
  rate,
  encode: `-c:a libspeex -b:a ${bits} -f ogg`,
});
const opus = (bits: string): Chain => ({
  rate: 16_000,
  encode: `-c:a libopus -application voip -b:a ${bits} -f ogg`,
});

/** The chains of each tier; a hash of the file's bytes, not its label, decides which one it goes through. */
export const VOICE_CODECS: Readonly<Record<string, readonly Chain[]>> = {
  speex: [
    ...['4k', '6k', '8k', '11k', '15k', '24k'].map((bits) => speex(8_000, bits)),
    ...['8k', '13k', '20k', '28k'].map((bits) => speex(16_000, bits)),
  ],
  gsm: [{ rate: 8_000, encode: '-c:a libgsm -f gsm' }],
  amr: [0, 1, 2, 4, 5, 7].map((amrMode) => ({ rate: 8_000, amrMode })),
  codec2: ['1200', '1600', '2400', '3200'].map((mode) => ({
    rate: 8_000,
    encode: `-c:a libcodec2 -mode ${mode} -f codec2`,
  })),
  opus: ['6k', '8k', '12k', '16k', '24k', '32k'].map(opus),
  g72x: [
    { rate: 16_000, encode: '-c:a g722 -f wav' },
    ...['16k', '24k', '32k'].map((bits): Chain => ({ rate: 8_000, encode: `-c:a g726 -b:a ${bits} -f wav` })),
    { rate: 8_000, encode: '-c:a g723_1 -b:a 6300 -f wav' },
  ],
  'lost-packets': [3, 8, 15].flatMap((lostPercent) => [
    { ...opus('16k'), lostPercent },
    { rate: 8_000, encode: '-c:a pcm_alaw -f wav', lostPercent },
  ]),
  denoised: [6, 12, 24].map((decibels) => ({ rate: 16_000, filter: `afftdn=nr=${decibels}:nf=-40` })),
};

const PACKET_SECONDS = 0.02;
/** Share of its loudness that a concealed packet keeps from the one before. */
const CONCEALED_GAIN = 0.7;
const SAMPLE_BYTES = 2;
const FULL_SCALE = 32_768;
const BYTES_MAX = 64 * 1024 * 1024;
const RUN_MS_MAX = 120_000;

export function toVoiceCodec(chains: readonly Chain[], path: string, secondsMax = 600): Buffer {
  const seed = createHash('sha256').update(readFileSync(path)).digest();
  const chain = chains[seed.readUInt16BE(0) % chains.length] as Chain;
  const filter = chain.filter === undefined ? '' : `-af ${chain.filter}`;
  const found = ffmpeg(`-t ${secondsMax} -i`, path, `-map 0:a:0 ${filter} ${toRaw(chain)}`);
  const coded = codeSamples(found, chain);
  const samples = chain.lostPercent === undefined ? coded : losePackets(coded, chain, seed);
  return toWave([toFloats(samples)], chain.rate);
}

function toFloats(samples: Buffer): Float32Array {
  const floats = new Float32Array(samples.length / SAMPLE_BYTES);
  for (let at = 0; at < floats.length; at++) floats[at] = samples.readInt16LE(at * SAMPLE_BYTES) / FULL_SCALE;
  return floats;
}

function toRaw({ rate }: Chain): string {
  return `-ar ${rate} -ac 1 -f s16le`;
}

function codeSamples(samples: Buffer, chain: Chain): Buffer {
  const { rate, encode, amrMode } = chain;
  if (amrMode !== undefined) {
    const raw = `-t s16 -r ${rate} -c 1 -`;
    const coded = run('sox', `${raw} -C ${amrMode} -t amr-nb -`.split(' '), samples);
    return run('sox', `-t amr-nb - ${raw}`.split(' '), coded);
  }
  if (encode === undefined) return samples;
  const coded = ffmpeg(`${toRaw(chain)} -i`, '-', encode, samples);
  return ffmpeg(`-f ${encode.split(' ').at(-1)} -i`, '-', toRaw(chain), coded);
}

/** Replaces that share of the packets by the packet before, quieter each time. */
export function losePackets(samples: Buffer, { rate, lostPercent = 0 }: Chain, seed: Buffer): Buffer {
  const packet = rate * PACKET_SECONDS * SAMPLE_BYTES;
  let state = seed.readUInt32BE(2);
  for (let at = packet; at + packet <= samples.length; at += packet) {
    // Numerical Recipes' generator: losses are the same each time.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    if (state / 2 ** 32 >= lostPercent / 100) continue;
    for (let byte = at; byte < at + packet; byte += SAMPLE_BYTES) {
      samples.writeInt16LE(Math.round(samples.readInt16LE(byte - packet) * CONCEALED_GAIN), byte);
    }
  }
  return samples;
}

function ffmpeg(before: string, input: string, after: string, bytes?: Buffer): Buffer {
  const words = ['-nostdin -v error', before].join(' ').trim().split(/ +/);
  return run('ffmpeg', [...words, input, ...after.trim().split(/ +/), '-'], bytes);
}

function run(program: string, options: readonly string[], input?: Buffer): Buffer {
  return execFileSync(program, options, { input: input ?? '', maxBuffer: BYTES_MAX, timeout: RUN_MS_MAX });
}
