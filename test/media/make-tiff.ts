/** TIFFs of samples that the picture library does not write: one page, one strip, not compressed, little-endian. */

export interface TiffRecipe {
  width: number;
  height: number;
  bits: number;
  /** 1 without a sign, 2 with one, 3 floats (TIFF 6.0, section 19). */
  format?: 1 | 2 | 3;
  /** 1 grey, 2 RGB, 8 CIELab. */
  photometric?: 1 | 2 | 8 | 9;
  samplesPerPixel?: number;
  compression?: number;
  data: Uint8Array;
}

export function makeTiff(recipe: TiffRecipe): Buffer {
  const {
    width,
    height,
    bits,
    format = 1,
    photometric = 1,
    samplesPerPixel = 1,
    compression = 1,
    data,
  } = recipe;
  const shorts = (value: number) => Array.from({ length: samplesPerPixel }, () => value);
  const tags: [tag: number, values: number[]][] = [
    [256, [width]],
    [257, [height]],
    [258, shorts(bits)],
    [259, [compression]],
    [262, [photometric]],
    [273, [0]],
    [277, [samplesPerPixel]],
    [278, [height]],
    [279, [data.length]],
    [339, shorts(format)],
  ];
  const listBytes = 2 + tags.length * 12 + 4;
  const long = tags.filter(([, values]) => values.length > 2);
  const longBytes = long.reduce((sum, [, values]) => sum + values.length * 2, 0);
  const head = Buffer.alloc(8 + listBytes + longBytes);
  head.write('II*\0\x08\0\0\0', 'latin1');
  head.writeUInt16LE(tags.length, 8);
  let free = 8 + listBytes;
  for (const [index, [tag, values]] of tags.entries()) {
    const at = 10 + index * 12;
    const isShort = values.length > 1;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(isShort ? 3 : 4, at + 2);
    head.writeUInt32LE(values.length, at + 4);
    const value = tag === 273 ? head.length : (values[0] ?? 0);
    if (!isShort) head.writeUInt32LE(value, at + 8);
    if (values.length > 2) head.writeUInt32LE(free, at + 8);
    if (values.length <= 2 && isShort)
      values.forEach((one, place) => void head.writeUInt16LE(one, at + 8 + place * 2));
    if (values.length > 2) for (const one of values) free = head.writeUInt16LE(one, free);
  }
  return Buffer.concat([head, data]);
}
