/** Silence of eight channels in FLAC, thirty bytes for each second and a half: no encoder at hand writes blocks so large. */

const CHANNELS = 8;
const RATE = 48_000;
const BLOCK_SAMPLES = 65_535;

export function silentFlac(seconds: number): Buffer {
  const blocks = Math.ceil((seconds * RATE) / BLOCK_SAMPLES);
  return Buffer.concat([
    Buffer.from('fLaC'),
    streamInfo(blocks * BLOCK_SAMPLES),
    ...Array.from({ length: blocks }, (_, block) => silentFrame(block)),
  ]);
}

/** RFC 9639, 8.2: block sizes, frame sizes that are not known, rate, channels, 16 bits, samples, no MD5. */
function streamInfo(samples: number): Buffer {
  const info = Buffer.alloc(4 + 34);
  info.set([0x80, 0, 0, 34]);
  info.writeUInt16BE(BLOCK_SAMPLES, 4);
  info.writeUInt16BE(BLOCK_SAMPLES, 6);
  const packed = (BigInt(RATE) << 44n) | (BigInt(CHANNELS - 1) << 41n) | (15n << 36n) | BigInt(samples);
  info.writeBigUInt64BE(packed, 14);
  return info;
}

/** RFC 9639, 9: every subframe is one constant. */
function silentFrame(number: number): Buffer {
  const head = Buffer.from([0xff, 0xf8, 0x70, (CHANNELS - 1) << 4, ...utf8Number(number), 0, 0]);
  head.writeUInt16BE(BLOCK_SAMPLES - 1, head.length - 2);
  const body = Buffer.concat([head, Buffer.from([crc(head, 8, 0x07)]), Buffer.alloc(CHANNELS * 3)]);
  const end = Buffer.alloc(2);
  end.writeUInt16BE(crc(body, 16, 0x8005));
  return Buffer.concat([body, end]);
}

function utf8Number(number: number): number[] {
  return [...Buffer.from(String.fromCodePoint(number))];
}

function crc(bytes: Buffer, bits: 8 | 16, polynomial: number): number {
  const top = 1 << (bits - 1);
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1)
      value = ((value << 1) ^ ((value & top) === 0 ? 0 : polynomial)) & ((1 << bits) - 1);
  }
  return value;
}
