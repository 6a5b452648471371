/** The unsigned metadata of a file that say something of its origin, by the table of domain/provenance/declared-marks.ts. */
import { readFile, stat } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import { formatOf } from '../../domain/media/formats.ts';
import { DECLARATION_ROWS, type FileText, findDeclarations } from '../../domain/provenance/declared-marks.ts';
import type { Declaration } from '../../domain/provenance/provenance.ts';
import { HeifFile } from '../libav/heif-items.ts';
import type { Picture } from '../media/picture.ts';
import { readExifTexts } from '../pictures/exif-texts.ts';
import { readSegments } from '../pictures/jpeg-segments.ts';
import { openPicture } from '../pictures/picture-file.ts';
import { readStealthChannel } from '../pictures/stealth-channel.ts';
import { openableTiff } from '../pictures/tiff-samples.ts';
import { decodeXmp, readXmpTexts } from '../pictures/xmp-texts.ts';

const VALUE_CHARACTERS_MAX = 120;
const DECLARATIONS_MAX = 8;
/** Tags that are read from a container; real ones have a dozen. */
const TAGS_MAX = 64;
/** Length of a text that is searched: a generator's settings may hold a long prompt or workflow before what names it. */
const SEARCHED_CHARACTERS_MAX = 1024 ** 2;
/** A larger picture's EXIF is not read: the reader takes the whole file into memory. */
const EXIF_FILE_BYTES_MAX = 256 * 1024 ** 2;
/** All of a JPEG's further pieces of XMP. */
const EXTENDED_XMP_BYTES_MAX = 4 * 1024 ** 2;
const COMMENT = 0xfe;
const APP1 = 0xe1;
/** XMP Specification Part 3, 1.1.3.1: behind the name a digest of 32 letters, the whole length and the place, 4 bytes each. */
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';
const EXTENDED_XMP_HEAD_BYTES = EXTENDED_XMP.length + 40;

/** `picture` is what was decoded of it, if it was. */
export async function readDeclarations(
  path: string,
  mime: string,
  picture: Picture | null = null,
): Promise<Declaration[]> {
  const { isHeif, hasMetadata } = formatOf(mime) ?? {};
  if (!hasMetadata) return [];
  const { exif, xmp, comments = [], pixels } = isHeif ? readHeifBlocks(path) : await readBlocks(path, mime);
  const texts = [
    ...(xmp === undefined ? [] : readXmpTexts(decodeXmp(xmp).slice(0, SEARCHED_CHARACTERS_MAX))),
    ...(mime === 'image/jpeg' ? await jpegTexts(path) : []),
    ...(exif === undefined ? [] : exifTexts(exif)),
    ...comments.flatMap(({ keyword, text }) => textChunk(keyword, text)),
    ...(pixels === undefined ? [] : await pixelTexts(path, pixels, picture)),
  ];
  return toDeclarations(texts);
}

/** Declarations in the tags of a film or a sound: some containers hold XMP, others a generator's name or its settings. */
export function readTags(tags: Readonly<Record<string, string>>): Declaration[] {
  const texts = Object.entries(tags)
    .slice(0, TAGS_MAX)
    .flatMap(([name, text]) =>
      /xmp/i.test(name)
        ? readXmpTexts(text.slice(0, SEARCHED_CHARACTERS_MAX))
        : [{ field: `tag ${name}`, text }],
    );
  return toDeclarations(texts);
}

function toDeclarations(texts: readonly FileText[]): Declaration[] {
  const searched = texts.map(({ field, text }) => ({ field, text: text.slice(0, SEARCHED_CHARACTERS_MAX) }));
  return findDeclarations(searched)
    .slice(0, DECLARATIONS_MAX)
    .map(({ row, field, value, origin }) => ({
      kind: DECLARATION_ROWS[row].kind,
      field: cut(field),
      value: cut(value),
      origin,
      name: row,
    }));
}

interface Blocks extends Pick<Metadata, 'xmp' | 'comments'> {
  /** The file itself, in which the reader finds EXIF and IPTC, or a block of EXIF. */
  exif?: Buffer | undefined;
  /** What the library says of a picture whose lowest bits may hold text. */
  pixels?: Metadata;
}

/** The picture library does not open what a HEIF holds. */
function readHeifBlocks(path: string): Blocks {
  using file = HeifFile.open(path);
  return file?.readMetadata() ?? {};
}

async function readBlocks(path: string, mime: string): Promise<Blocks> {
  const pixels = await openPicture(mime === 'image/tiff' ? await openableTiff(path) : path, false).metadata();
  const isRead = (await stat(path)).size <= EXIF_FILE_BYTES_MAX;
  const { xmp, comments } = pixels;
  return { xmp, comments, pixels, exif: isRead ? await readFile(path) : undefined };
}

/** Makers and models stand together, and so do the two texts that only xAI writes side by side. */
function exifTexts(exif: Buffer): FileText[] {
  const texts = readExifTexts(exif);
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

/** Comments, and the pieces in which a JPEG holds XMP of more than 64 KB. */
async function jpegTexts(path: string): Promise<FileText[]> {
  const texts: FileText[] = [];
  let extended = '';
  for await (const { marker, data } of readSegments(path, [COMMENT, APP1])) {
    if (marker === COMMENT) texts.push({ field: 'JPEG comment', text: data.toString('utf8') });
    else if (data.toString('latin1', 0, EXTENDED_XMP.length) === EXTENDED_XMP)
      extended += data.toString('utf8', EXTENDED_XMP_HEAD_BYTES);
    if (extended.length > EXTENDED_XMP_BYTES_MAX) break;
  }
  return [...texts, ...readXmpTexts(extended)];
}

/** Photoshop and others lay XMP into a chunk that the library gives as text too. */
function textChunk(keyword: string, text: string): FileText[] {
  if (keyword === 'XML:com.adobe.xmp') return readXmpTexts(text.slice(0, SEARCHED_CHARACTERS_MAX));
  return [{ field: `PNG ${keyword}`, text }];
}

async function pixelTexts(path: string, metadata: Metadata, picture: Picture | null): Promise<FileText[]> {
  const found = await readStealthChannel(path, metadata, picture);
  return found === null ? [] : [{ field: `pixels ${found.channel}`, text: found.signature }];
}

/** On one line, without what a terminal would obey. */
function cut(text: string): string {
  return text
    .slice(0, VALUE_CHARACTERS_MAX * 2)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, VALUE_CHARACTERS_MAX)
    .toWellFormed();
}
