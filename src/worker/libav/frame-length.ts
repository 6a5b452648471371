/**
 * How long a frame of a stream without a container is, by its own head. The media library counts all of them by the first
 * one's rate, so that recordings of different rates that were joined would last longer or shorter than they sound.
 */

const ADTS_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const MPEG_RATES = [44_100, 48_000, 32_000];

/** By the demuxer's name; null where there is no head. */
export const frameSeconds: ReadonlyMap<string, (frame: Buffer | null) => number | null> = new Map([
  ['aac', adtsSeconds],
  ['mp3', mpegSeconds],
]);

/** ISO/IEC 13818-7 6.2.1: 1024 samples in each of one to four blocks. */
function adtsSeconds(frame: Buffer | null): number | null {
  if (frame === null || frame.length < 7 || frame[0] !== 0xff || ((frame[1] ?? 0) & 0xf6) !== 0xf0)
    return null;
  const rate = ADTS_RATES[((frame[2] ?? 0) >> 2) & 0x0f];
  return rate === undefined ? null : (1024 * (((frame[6] ?? 0) & 3) + 1)) / rate;
}

/** ISO/IEC 11172-3 2.4.2.3 and 13818-3: version 1 has 1152 samples in layers II and III, later ones half in layer III. */
function mpegSeconds(frame: Buffer | null): number | null {
  if (frame === null || frame.length < 4 || frame[0] !== 0xff || ((frame[1] ?? 0) & 0xe0) !== 0xe0)
    return null;
  const [second = 0, third = 0] = frame.subarray(1);
  const version = (second >> 3) & 3;
  const base = MPEG_RATES[(third >> 2) & 3];
  if (base === undefined || version === 1) return null;
  const rate = base / { 3: 1, 2: 2, 0: 4 }[version as 0 | 2 | 3];
  const isHalved = version !== 3 && ((second >> 1) & 3) === 1;
  return (isHalved ? 576 : 1152) / rate;
}
