/** The unsigned texts of a file beside its picture or sound, read once for all that ask for them. */
import { readFile, stat } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import { formatOf } from '../../domain/media/formats.ts';
import type { FileText } from '../../domain/provenance/declared-marks.ts';
import { HeifFile } from '../libav/heif-items.ts';
import type { Picture } from '../media/picture.ts';
import { FileWindow } from '../pictures/file-window.ts';
import { readSegments } from '../pictures/jpeg-segments.ts';
import { openPicture } from '../pictures/picture-file.ts';
import { pngChunks } from '../pictures/png-chunks.ts';
import { readStealthChannel } from '../pictures/stealth-channel.ts';
import { openableTiff } from '../pictures/tiff-samples.ts';
import { readExifTexts } from './exif-texts.ts';
import { decodeXmp, readXmpFacts, readXmpTexts } from './xmp-texts.ts';

/** Tags that are read from a container; real ones have a dozen. */
const TAGS_MAX = 64;
/** Length of a searched text: a generator's settings may hold a long prompt or workflow before its name. */
const SEARCHED_CHARACTERS_MAX = 1024 ** 2;
/** EXIF of a larger picture is not read if the reader takes the whole file into memory. */
const EXIF_FILE_BYTES_MAX = 256 * 1024 ** 2;
/** Bytes of a JPEG or PNG in which EXIF and IPTC may lie. */
const HEAD_BYTES_MAX = 16 * 1024 ** 2;
/** Bytes of a JPEG's further pieces of XMP. */
const EXTENDED_XMP_BYTES_MAX = 4 * 1024 ** 2;
const [COMMENT, APP1, APP13] = [0xfe, 0xe1, 0xed];
/** XMP Part 3, 1.1.3.1: after the name a digest of 32 letters, the whole length and the place, 4 bytes each. */
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';
const EXTENDED_XMP_HEAD_BYTES = EXTENDED_XMP.length + 40;

export interface FileTexts {
  /** Texts that may name the maker. */
  texts: FileText[];
  /** Texts that may be facts of the file. */
  facts: FileText[];
  /** The small picture that cameras put beside the large one. */
  thumbnail: Buffer | null;
}

/** `picture` is the decoded picture, if there is one; `tags` are those of a film or a sound. */
export async function readFileTexts({
  path,
  mime,
  picture = null,
  tags = {},
}: {
  path: string;
  mime: string;
  picture?: Picture | null;
  tags?: Readonly<Record<string, string>>;
}): Promise<FileTexts> {
  const { isHeif, hasMetadata } = formatOf(mime) ?? {};
  if (!hasMetadata) return readTags(tags);
  const blocks = isHeif ? readHeifBlocks(path) : await readBlocks(path, mime);
  const { exif, xmp, comments = [], pixels, jpeg = null } = blocks;
  const read = exif === undefined ? null : readExifTexts(exif);
  const packets = [
    ...(xmp === undefined ? [] : [decodeXmp(xmp)]),
    ...(jpeg === null ? [] : [jpeg.packet]),
    ...comments.filter(({ keyword }) => keyword === XMP_KEYWORD).map(({ text }) => text),
  ].map((packet) => packet.slice(0, EXTENDED_XMP_BYTES_MAX));
  const written = comments
    .filter(({ keyword }) => keyword !== XMP_KEYWORD)
    .map(({ keyword, text }) => ({ field: `PNG ${keyword}`, text }));
  const texts = [
    ...packets.flatMap(readXmpTexts),
    ...(jpeg?.comments ?? []),
    ...(read === null ? [] : exifTexts(read.texts)),
    ...written,
    ...(pixels === undefined ? [] : await pixelTexts(path, pixels, picture)),
  ];
  const facts = [...packets.flatMap(readXmpFacts), ...(read?.facts ?? []), ...written];
  return { texts: texts.map(searched), facts, thumbnail: read?.thumbnail ?? null };
}

const searched = ({ field, text }: FileText): FileText => ({
  field,
  text: text.slice(0, SEARCHED_CHARACTERS_MAX),
});

/** Photoshop and others store XMP in a chunk that the library gives as text too. */
const XMP_KEYWORD = 'XML:com.adobe.xmp';

/** Some containers hold XMP, others a generator's name or its settings. */
function readTags(tags: Readonly<Record<string, string>>): FileTexts {
  const read = Object.entries(tags)
    .slice(0, TAGS_MAX)
    .map(([name, text]) => ({ name, text: text.slice(0, SEARCHED_CHARACTERS_MAX) }));
  const packets = read.filter(({ name }) => /xmp/i.test(name)).map(({ text }) => text);
  const written = read
    .filter(({ name }) => !/xmp/i.test(name))
    .map(({ name, text }) => ({ field: `tag ${name}`, text }));
  return {
    texts: [...packets.flatMap(readXmpTexts), ...written],
    facts: [...packets.flatMap(readXmpFacts), ...written],
    thumbnail: null,
  };
}

interface Blocks extends Pick<Metadata, 'xmp' | 'comments'> {
  /** The file or a block of EXIF, in which the reader finds EXIF and IPTC. */
  exif?: Buffer | undefined;
  /** The library's metadata of a picture whose lowest bits may hold text. */
  pixels?: Metadata;
  jpeg?: JpegParts;
}

/** The picture library does not open the items of a HEIF. */
function readHeifBlocks(path: string): Blocks {
  using file = HeifFile.open(path);
  return file?.readMetadata() ?? {};
}

async function readBlocks(path: string, mime: string): Promise<Blocks> {
  const pixels = await openPicture(mime === 'image/tiff' ? await openableTiff(path) : path, false).metadata();
  const { xmp, comments } = pixels;
  if (mime !== 'image/jpeg') return { xmp, comments, pixels, exif: await readExifBytes(path, mime) };
  const jpeg = await readJpegParts(path);
  return { xmp, comments, pixels, exif: jpeg.head, jpeg };
}

/** A PNG is cut to the chunks that may hold EXIF and IPTC; other files are read whole. */
async function readExifBytes(path: string, mime: string): Promise<Buffer | undefined> {
  if (mime === 'image/png') return readPngHead(path);
  return (await stat(path)).size <= EXIF_FILE_BYTES_MAX ? await readFile(path) : undefined;
}

function readPngHead(path: string): Buffer {
  using file = new FileWindow(path);
  const parts = [file.readWhole(0, PNG_SIGNATURE_BYTES)];
  let left = HEAD_BYTES_MAX;
  for (const { type, at, size } of pngChunks(file)) {
    if (type === 'IDAT' || type === 'fdAT' || size > left) continue;
    left -= size;
    // A chunk has its length and type before its data, and a checksum after them.
    parts.push(file.readWhole(at - 8, size + 12));
  }
  return Buffer.concat(parts);
}

const PNG_SIGNATURE_BYTES = 8;

/** Make and model are joined, and so are the two texts that only xAI writes together. */
function exifTexts(texts: ReadonlyMap<string, string>): FileText[] {
  const join = (...names: string[]) => ({
    field: `EXIF ${names.join(', ')}`,
    text: names
      .map((name) => texts.get(`EXIF ${name}`) ?? '')
      .join(' ')
      .trim(),
  });
  return [
    ...[...texts].map(([field, text]) => ({ field, text })),
    join('ImageDescription', 'Artist'),
    join('Make', 'Model'),
  ];
}

interface JpegParts {
  /** The parts of a JPEG that may hold EXIF and IPTC. */
  head: Buffer;
  comments: FileText[];
  /** The pieces in which a JPEG holds XMP of more than 64 KB. */
  packet: string;
}

async function readJpegParts(path: string): Promise<JpegParts> {
  const parts: Buffer[] = [Buffer.from([0xff, 0xd8])];
  const comments: FileText[] = [];
  let packet = '';
  let left = HEAD_BYTES_MAX;
  for await (const { marker, data } of readSegments(path, [COMMENT, APP1, APP13])) {
    if (marker !== COMMENT) left -= data.length;
    if (marker !== COMMENT && left >= 0) {
      const head = Buffer.from([0xff, marker, 0, 0]);
      head.writeUInt16BE(data.length + 2, 2);
      parts.push(head, data);
    }
    if (packet.length > EXTENDED_XMP_BYTES_MAX) continue;
    if (marker === COMMENT) comments.push({ field: 'JPEG comment', text: data.toString('utf8') });
    else if (marker === APP1 && data.toString('latin1', 0, EXTENDED_XMP.length) === EXTENDED_XMP)
      packet += data.toString('utf8', EXTENDED_XMP_HEAD_BYTES);
  }
  return { head: Buffer.concat([...parts, Buffer.from([0xff, 0xd9])]), comments, packet };
}

async function pixelTexts(path: string, metadata: Metadata, picture: Picture | null): Promise<FileText[]> {
  const found = await readStealthChannel(path, metadata, picture);
  return found === null ? [] : [{ field: `pixels ${found.channel}`, text: found.signature }];
}
