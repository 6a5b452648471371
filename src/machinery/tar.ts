/** Small files in memory as one tar.gz (POSIX ustar), for what is handed to people and not to programs of ours. */
import { gzipSync } from 'node:zlib';

const BLOCK_BYTES = 512;
/** The field of ustar, without its prefix. */
const NAME_BYTES_MAX = 100;

export interface TarFile {
  /** ASCII, at most 100 characters. */
  name: string;
  content: string;
}

/** `at`: seconds since 1970, of every file. */
export function makeTarGz(files: readonly TarFile[], at: number): Buffer {
  const blocks = files.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content, 'utf8');
    const padding = Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES);
    return [headerOf(name, bytes.length, at), bytes, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]));
}

function headerOf(name: string, sizeBytes: number, at: number): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) throw new Error(`${name} is too long for a tar`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(sizeBytes, 11), 124);
  header.write(octal(at, 11), 136);
  // The checksum counts itself as blanks.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
