/** Whole small files of every format that is accepted, made on the spot: what the fuzzer begins with. */
import type { FFEncoderCodec } from 'node-av/constants';
import { makeSound, makeVideo, type VideoRecipe } from '../../media/make-media.ts';
import { makeApng, makeHeic, makeJxl, makeSequence } from '../../media/make-stills.ts';
import { animatedWebp, patternImage, patternRgb, tiffOfPages } from '../../media/pictures.ts';

export interface Sample {
  format: string;
  kind: 'image' | 'video' | 'audio';
  bytes: Buffer;
}

const SIDE = 64;
const codec = (name: string) => name as FFEncoderCodec;

const VIDEOS: readonly [format: string, container: string, codec: string, sound?: string][] = [
  ['MP4', 'mp4', 'libx264', 'aac'],
  ['MP4 HEVC', 'mp4', 'libx265'],
  ['MOV', 'mov', 'mjpeg', 'pcm_s16le'],
  ['MKV', 'matroska', 'mpeg4', 'flac'],
  ['WebM', 'webm', 'libvpx', 'libvorbis'],
  ['AVI', 'avi', 'mpeg4', 'libmp3lame'],
  ['MPEG-TS', 'mpegts', 'libx264', 'aac'],
  ['MPEG-PS', 'mpeg', 'mpeg2video', 'mp2'],
  ['OGG video', 'ogg', 'libtheora', 'libvorbis'],
  ['FLV', 'flv', 'libx264', 'aac'],
  ['WMV', 'asf', 'wmv2', 'wmav2'],
  ['MXF', 'mxf', 'mpeg2video'],
];

const SOUNDS: readonly [format: string, container: string, codec: string, rate?: number][] = [
  ['MP3', 'mp3', 'libmp3lame'],
  ['WAV', 'wav', 'pcm_s16le'],
  ['OGG', 'ogg', 'libvorbis'],
  ['Opus', 'ogg', 'libopus', 48_000],
  ['FLAC', 'flac', 'flac'],
  ['AAC', 'adts', 'aac'],
  ['M4A', 'ipod', 'aac'],
  ['AIFF', 'aiff', 'pcm_s16be'],
  ['WMA', 'asf', 'wmav2'],
  ['AC-3', 'ac3', 'ac3', 48_000],
];

export async function makeCorpus(): Promise<Sample[]> {
  return [...(await makeStills()), ...makeVideos(), ...makeSounds()];
}

async function makeStills(): Promise<Sample[]> {
  const picture = () => patternImage(SIDE, SIDE);
  const rgb = patternRgb(SIDE, SIDE);
  const stills: Record<string, Buffer> = {
    JPEG: await picture()
      .jpeg()
      .withExif({ IFD0: { Copyright: 'nobody' } })
      .toBuffer(),
    'JPEG progressive': await picture().jpeg({ progressive: true }).toBuffer(),
    PNG: await picture().png().toBuffer(),
    'PNG animated': makeApng([await picture().png().toBuffer(), await picture().png().toBuffer()]),
    WEBP: await picture().webp({ lossless: true }).toBuffer(),
    'WEBP animated': await animatedWebp(SIDE),
    TIFF: await picture().tiff({ compression: 'lzw' }).toBuffer(),
    'TIFF pages': tiffOfPages(SIDE, 2),
    GIF: await picture().gif().toBuffer(),
    AVIF: await picture().avif({ effort: 0 }).toBuffer(),
    HEIC: await makeHeic({ rgb, width: SIDE, height: SIDE }),
    'HEIC of parts': await makeHeic({
      rgb,
      width: SIDE,
      height: SIDE,
      derived: 'iden',
      steps: [{ irot: 1 }],
    }),
    'HEIC sequence': makeSequence('heic', SIDE, SIDE, 3),
    'JPEG XL': makeJxl(rgb, SIDE, SIDE),
  };
  return Object.entries(stills).map(([format, bytes]) => ({ format, kind: 'image', bytes }));
}

function makeVideos(): Sample[] {
  return VIDEOS.map(([format, container, encoder, sound]) => {
    const sizes = { seconds: 1, width: 176, height: 144, fps: 25 };
    const track: Partial<VideoRecipe> = sound === undefined ? {} : { withSound: codec(sound) };
    const bytes = makeVideo({ container, codec: codec(encoder), ...sizes, ...track });
    return { format, kind: 'video', bytes };
  });
}

function makeSounds(): Sample[] {
  return SOUNDS.map(([format, container, encoder, rate = 44_100]) => {
    const bytes = makeSound({ container, codec: codec(encoder), seconds: 1, rate, channels: 2 });
    return { format, kind: 'audio', bytes };
  });
}
