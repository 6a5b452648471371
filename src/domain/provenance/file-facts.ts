/** What a file says of time, place, device and author; anyone can write it, so facts in a sound manifest are marked. */
import { z } from 'zod';
import { onOneLine } from '../shown-text.ts';
import type { FileText } from './declared-marks.ts';
import { toMoment, toPlace } from './fact-values.ts';

interface FactRow {
  /** How joined texts become one value. */
  form: 'moment' | 'place' | 'camera' | 'text';
  /** Groups of fields whose texts are one fact together, by their source. XMP's names may stand in a manifest (C2PA), too. */
  from: readonly (readonly string[])[];
}

export const FACT_ROWS = {
  captured: {
    form: 'moment',
    from: [
      ['EXIF DateTimeOriginal', 'EXIF OffsetTimeOriginal'],
      ['XMP DateTimeOriginal'],
      ['XMP DateCreated'],
      ['IPTC Date Created', 'IPTC Time Created'],
      ['tag com.apple.quicktime.creationdate'],
    ],
  },
  created: {
    form: 'moment',
    from: [
      ['EXIF DateTimeDigitized', 'EXIF OffsetTimeDigitized'],
      ['XMP CreateDate'],
      ['tag creation_time'],
      ['tag date'],
    ],
  },
  changed: { form: 'moment', from: [['EXIF DateTime', 'EXIF OffsetTime'], ['XMP ModifyDate']] },
  satellite_time: {
    form: 'moment',
    from: [['EXIF GPSDateStamp', 'EXIF GPSTimeStamp'], ['XMP GPSTimeStamp']],
  },
  place: {
    form: 'place',
    from: [
      ['EXIF GPSLatitude', 'EXIF GPSLongitude'],
      ['XMP GPSLatitude', 'XMP GPSLongitude'],
      ['tag com.apple.quicktime.location.ISO6709'],
      ['tag location'],
    ],
  },
  place_name: {
    form: 'text',
    from: [
      ['IPTC Sub-location', 'IPTC City', 'IPTC Province/State', 'IPTC Country/Primary Location Name'],
      ['XMP Location', 'XMP City', 'XMP State', 'XMP Country'],
    ],
  },
  camera: {
    form: 'camera',
    from: [
      ['EXIF Make', 'EXIF Model'],
      ['XMP Make', 'XMP Model'],
      ['tag com.apple.quicktime.make', 'tag com.apple.quicktime.model'],
      ['tag com.android.manufacturer', 'tag com.android.model'],
      ['tag make', 'tag model'],
    ],
  },
  lens: { form: 'text', from: [['EXIF LensModel'], ['XMP LensModel'], ['XMP Lens']] },
  software: {
    form: 'text',
    from: [
      ['EXIF Software'],
      ['XMP CreatorTool'],
      ['XMP Software'],
      ['IPTC Originating Program'],
      ['PNG Software'],
      ['tag com.apple.quicktime.software'],
      ['tag software'],
      ['tag encoder'],
    ],
  },
  author: {
    form: 'text',
    from: [
      ['EXIF Artist'],
      ['XMP creator'],
      ['XMP author'],
      ['IPTC By-line'],
      ['PNG Author'],
      ['tag artist'],
      ['tag author'],
    ],
  },
  rights: {
    form: 'text',
    from: [
      ['EXIF Copyright'],
      ['XMP rights'],
      ['XMP copyrightNotice'],
      ['IPTC Copyright Notice'],
      ['PNG Copyright'],
      ['tag copyright'],
    ],
  },
  caption: {
    form: 'text',
    from: [
      ['EXIF ImageDescription'],
      ['XMP Headline'],
      ['XMP description'],
      ['IPTC Headline'],
      ['IPTC Caption/Abstract'],
      ['PNG Title'],
      ['PNG Description'],
      ['tag title'],
      ['tag description'],
      ['tag comment'],
    ],
  },
  edited: { form: 'text', from: [['XMP History']] },
} as const satisfies Record<string, FactRow>;

export type FactKind = keyof typeof FACT_ROWS;
export const FACT_KINDS = Object.keys(FACT_ROWS) as [FactKind, ...FactKind[]];

/** The fields of one source, without its name. */
export function factFieldsOf(source: string): string[] {
  const fields = Object.values<FactRow>(FACT_ROWS).flatMap((row) => groupsOf(row).flat());
  return fields
    .filter((field) => field.startsWith(`${source} `))
    .map((field) => field.slice(source.length + 1));
}

const FACTS_MAX = 60;
/** Values of one field, such as the steps of an edit. */
const VALUES_MAX = 20;
const VALUE_CHARACTERS_MAX = 300;

const foundFact = z.strictObject({
  kind: z.enum(FACT_KINDS),
  field: z.string().max(200),
  value: z.string().min(1).max(VALUE_CHARACTERS_MAX),
});
export type FoundFact = z.infer<typeof foundFact>;

export const fileFactsSchema = z.strictObject({
  facts: z.array(foundFact).max(FACTS_MAX),
  /** Bits of 256 in which the picture's perceptual hash and its thumbnail's differ; null without a thumbnail to compare. */
  thumbnailBits: z.int().min(0).max(256).nullable(),
});

/** Facts in the order of the table. */
export function findFacts(texts: readonly FileText[]): FoundFact[] {
  const kinds = FACT_KINDS.flatMap((kind) => {
    const row: FactRow = FACT_ROWS[kind];
    return groupsOf(row).flatMap((names) => factsOf(kind, row.form, names, texts));
  });
  return kinds.slice(0, FACTS_MAX);
}

function groupsOf({ from }: FactRow): (readonly string[])[] {
  const signed = from.filter(([name]) => name?.startsWith('XMP '));
  return [...from, ...signed.map((names) => names.map((name) => name.replace('XMP', 'C2PA')))];
}

function factsOf(
  kind: FactKind,
  form: FactRow['form'],
  names: readonly string[],
  texts: readonly FileText[],
): FoundFact[] {
  const valuesOf = (name: string) =>
    texts.filter(({ field }) => field === name).map(({ text }) => onOneLine(text, VALUE_CHARACTERS_MAX));
  const [name = '', ...further] = names;
  const groups =
    further.length === 0
      ? valuesOf(name)
          .slice(0, VALUES_MAX)
          .map((value) => [value])
      : [names.map((one) => valuesOf(one)[0] ?? '')];
  const field = `${name}${further.map((one) => `, ${one.slice(one.indexOf(' ') + 1)}`).join('')}`;
  return groups
    .map((parts) => FORMS[form](parts, kind))
    .filter((value) => value !== '')
    .map((value) => ({ kind, field, value }));
}

const FORMS: Readonly<Record<FactRow['form'], (parts: readonly string[], kind: FactKind) => string>> = {
  // Satellites give UTC.
  moment: ([day = '', rest = ''], kind) => {
    const moment = toMoment(rest.includes(':') && !/^[+-]/.test(rest) ? `${day} ${rest}` : day + rest);
    return kind === 'satellite_time' && moment.length === 19 ? `${moment}+00:00` : moment;
  },
  place: (parts) => toPlace(parts.join(' ')),
  camera: ([make = '', model = '']) => (model.startsWith(make) ? model : `${make} ${model}`.trim()),
  text: (parts) =>
    parts
      .filter((part) => part !== '')
      .join(', ')
      .slice(0, VALUE_CHARACTERS_MAX),
};
