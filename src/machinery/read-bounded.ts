/** Reads a small body whole. */

/** Throws what `tooLarge` gives as soon as there are more bytes; its argument is their least number. */
export async function readBounded(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
  tooLarge: (bytesMin: number) => Error,
): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > bytesMax) throw tooLarge(length);
    read.push(piece);
  }
  return Buffer.concat(read);
}
