/** The samples of a recording as models hear them: one channel at 16 kHz. */
import { Decoder, Demuxer } from 'node-av/api';
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_FLT } from 'node-av/constants';

export async function decodeToSamples(path: string): Promise<Float32Array> {
  await using input = await Demuxer.open(path);
  const stream = input.audio();
  if (stream === undefined) throw new Error(`${path} has no sound`);
  const resample = {
    sampleRate: 16_000,
    sampleFormat: AV_SAMPLE_FMT_FLT,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
  };
  using decoder = await Decoder.create(stream, { resample });
  const pieces: Buffer[] = [];
  for await (const frame of decoder.frames(input.packets(stream.index))) {
    if (frame === null) continue;
    const data = frame.data?.[0];
    if (data !== undefined) pieces.push(Buffer.from(data.subarray(0, frame.nbSamples * 4)));
    frame.free();
  }
  const bytes = Buffer.concat(pieces);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}
