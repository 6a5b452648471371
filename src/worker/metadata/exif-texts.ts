/** EXIF and IPTC texts on what made a picture, when, where and by whom. */
import ExifReader, { type ExpandedTags } from 'exifreader';
import type { FileText } from '../../domain/provenance/declared-marks.ts';
import { factFieldsOf } from '../../domain/provenance/file-facts.ts';

const EXIF_TAGS = ['ImageDescription', 'Make', 'Model', 'Software', 'Artist', 'HostComputer', 'XPComment'];
const IPTC_TAGS = ['Originating Program', 'Credit', 'Source', 'Caption/Abstract'];
/** `ASCII`, `UNICODE` or zeros in front of a UserComment. */
const CHARSET_BYTES = 8;

export interface ExifTexts {
  /** Texts that may name the picture's maker, by field, such as `EXIF Software`. */
  texts: Map<string, string>;
  facts: FileText[];
  thumbnail: Buffer | null;
}

/** Reads what is readable of a damaged file, too. `file` is a picture or a block of EXIF. */
export function readExifTexts(file: Buffer): ExifTexts {
  const tags = loadTags(file);
  const texts = new Map([
    ...textsOf(tags?.exif, EXIF_TAGS, 'EXIF'),
    ...textsOf(tags?.iptc, IPTC_TAGS, 'IPTC'),
    ...commentOf(tags?.exif?.UserComment, file),
  ]);
  const thumbnail = tags?.Thumbnail?.base64;
  return {
    texts,
    facts: factsOf(tags),
    thumbnail: thumbnail ? Buffer.from(thumbnail, 'base64') : null,
  };
}

function factsOf(tags: ExpandedTags | null): FileText[] {
  // The reader has applied the hemispheres.
  const { Latitude, Longitude } = tags?.gps ?? {};
  const facts = [
    ...textsOf(tags?.exif, factFieldsOf('EXIF'), 'EXIF'),
    ...textsOf(tags?.iptc, factFieldsOf('IPTC'), 'IPTC'),
  ];
  const place =
    Latitude === undefined || Longitude === undefined
      ? []
      : [
          { field: 'EXIF GPSLatitude', text: `${Latitude}` },
          { field: 'EXIF GPSLongitude', text: `${Longitude}` },
        ];
  return [...facts.map(([field, text]) => ({ field, text })), ...place];
}

/** Null without metadata, or if the reader fails: damage hides only what could be stripped as well. */
function loadTags(file: Buffer): ExpandedTags | null {
  try {
    return ExifReader.load(file, {
      expanded: true,
      includeTags: { exif: true, iptc: true, gps: true, thumbnail: true },
    });
  } catch {
    return null;
  }
}

/** Texts by field, such as `EXIF Software`; numbers are left out. */
function textsOf(group: object | undefined, names: readonly string[], source: string): [string, string][] {
  const tags = new Map<string, { description?: unknown }>(Object.entries(group ?? {}));
  return names.flatMap((name) => {
    const text = tags.get(name)?.description;
    return typeof text === 'string' && text.trim() !== '' ? [[`${source} ${name}`, text]] : [];
  });
}

function commentOf(tag: unknown, file: Buffer): [string, string][] {
  const value = typeof tag === 'object' && tag !== null && 'value' in tag ? tag.value : null;
  const text = Array.isArray(value) ? readComment(Buffer.from(value), file) : '';
  return text.trim() === '' ? [] : [['EXIF UserComment', text]];
}

function readComment(value: Buffer, file: Buffer): string {
  const text = value.subarray(CHARSET_BYTES);
  if (!value.toString('latin1', 0, 7).startsWith('UNICODE')) return text.toString('utf8');
  const even = Buffer.from(text.subarray(0, text.length & ~1));
  // Programs that change a block's byte order leave its comments as they were.
  const zerosAt = (place: 0 | 1) => even.filter((byte, at) => byte === 0 && at % 2 === place).length;
  const balance = zerosAt(1) - zerosAt(0);
  const isLittle = balance === 0 ? file.toString('latin1', 0, 2) === 'II' : balance > 0;
  return (isLittle ? even : even.swap16()).toString('utf16le');
}
