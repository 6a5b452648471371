/** The texts of EXIF and IPTC that may name what made a picture. Everything else in them is none of our business. */
import ExifReader from 'exifreader';

const EXIF_TAGS = ['ImageDescription', 'Make', 'Model', 'Software', 'Artist', 'HostComputer', 'XPComment'];
const IPTC_TAGS = ['Originating Program', 'Credit', 'Source', 'Caption/Abstract'];
/** `ASCII`, `UNICODE` or zeros in front of a UserComment. */
const CHARSET_BYTES = 8;

/** By field, as `EXIF Software`; of a damaged file what could be read of it. `file` is a picture or a block of EXIF. */
export function readExifTexts(file: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  const tags = loadTags(file);
  for (const name of EXIF_TAGS) addText(texts, `EXIF ${name}`, tags?.exif?.[name]?.description);
  for (const name of IPTC_TAGS) addText(texts, `IPTC ${name}`, tags?.iptc?.[name]?.description);
  const comment: unknown = tags?.exif?.UserComment?.value;
  if (Array.isArray(comment)) addText(texts, 'EXIF UserComment', readComment(Buffer.from(comment), file));
  return texts;
}

interface Tag {
  description?: string;
  value?: unknown;
}
interface Tags {
  exif?: Record<string, Tag>;
  iptc?: Record<string, Tag>;
}

/** Null without metadata, and where the reader cannot go on: who damages a block hides only what could be stripped as well. */
function loadTags(file: Buffer): Tags | null {
  try {
    return ExifReader.load(file, { expanded: true, includeTags: { exif: true, iptc: true } }) as Tags;
  } catch {
    return null;
  }
}

function addText(texts: Map<string, string>, field: string, text: string | undefined): void {
  if (text !== undefined && text.trim() !== '') texts.set(field, text);
}

function readComment(value: Buffer, file: Buffer): string {
  const text = value.subarray(CHARSET_BYTES);
  if (!value.toString('latin1', 0, 7).startsWith('UNICODE')) return text.toString('utf8');
  const even = Buffer.from(text.subarray(0, text.length & ~1));
  // Programs that turn a block to the other byte order leave its comments as they were.
  const zerosAt = (place: 0 | 1) => even.filter((byte, at) => byte === 0 && at % 2 === place).length;
  const balance = zerosAt(1) - zerosAt(0);
  const isLittle = balance === 0 ? file.toString('latin1', 0, 2) === 'II' : balance > 0;
  return (isLittle ? even : even.swap16()).toString('utf16le');
}
