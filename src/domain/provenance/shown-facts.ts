/** A file's facts as its record shows them: which are signed, and which contradict each other. Pure. */
import { type Choice, flag, listOf, noun, oneOf, text, type ValuesOf } from '../field.ts';
import { MICROSECONDS_PER_MS } from '../time.ts';
import type { FileText } from './declared-marks.ts';
import { certainGap, clockTimeOf } from './fact-values.ts';
import { FACT_KINDS, type FactKind, factFieldsOf, findFacts } from './file-facts.ts';
import type { Provenance } from './provenance.ts';
import { readActive } from './readings.ts';
import { both, type Sentence } from './sentence.ts';

const FACT_KIND = {
  name: 'FactKind',
  description: 'What a file says of how it was made. SATELLITE_TIME is the clock of GPS.',
  words: FACT_KINDS,
} as const satisfies Choice;

const FILE_FACT = {
  kind: oneOf(FACT_KIND),
  field: text('Where it stands, by the names of its formats; C2PA is the signed manifest.'),
  value: text(
    'Times as they are written, with their zone if there is one; places as latitude and longitude.',
  ),
  isSigned: flag('Whether it stands in a signed manifest that is not broken. All else anyone can write.'),
};
export interface FileFact extends ValuesOf<typeof FILE_FACT> {}

const FILE_FACTS = {
  facts: listOf(noun<FileFact>('FileFact')),
  contradictions: listOf(
    noun<Sentence>('Sentence', 'Times that cannot all be right, and a thumbnail of another picture.'),
  ),
};
export interface FileFacts extends ValuesOf<typeof FILE_FACTS> {}

export const FACT_NOUNS = [
  { name: 'FileFact', description: 'One thing that the file says of itself.', fields: FILE_FACT },
  {
    name: 'FileFacts',
    description:
      'When, where, with what and by whom the file says that it was made, and what was done to it.',
    fields: FILE_FACTS,
  },
];

/** Null if they were not read. */
export function fileFactsOf(provenance: Provenance): FileFacts | null {
  const { fileFacts, store } = provenance;
  if (fileFacts === undefined) return null;
  const readings = store === undefined ? null : readActive(store);
  const signed = readings === null || readings.state === 'broken' ? [] : findFacts(signedTexts(provenance));
  const facts = joinSources([...fileFacts.facts, ...signed]);
  const contradictions = [
    ...timeContradictions(facts, readings?.inTime.stampedAt ?? null),
    ...thumbnailContradictions(fileFacts.thumbnailBits),
  ];
  return { facts, contradictions };
}

const SIGNED = 'C2PA';

/** One row for fields with the same value, in the order of the kinds. */
function joinSources(found: readonly { kind: FactKind; field: string; value: string }[]): FileFact[] {
  const rows = new Map<string, FileFact>();
  for (const { kind, field, value } of found) {
    const key = `${kind} ${value}`;
    const known = rows.get(key);
    const isSigned = field.startsWith(`${SIGNED} `) || known?.isSigned === true;
    rows.set(key, { kind, field: known === undefined ? field : `${known.field}; ${field}`, value, isSigned });
  }
  return [...rows.values()].sort(
    (one, other) => FACT_KINDS.indexOf(one.kind) - FACT_KINDS.indexOf(other.kind),
  );
}

/** Assertions that hold EXIF, IPTC and XMP (C2PA 2.2, 18.15; CAWG metadata). */
const METADATA_ASSERTION =
  /^(?:stds\.exif|stds\.iptc|c2pa\.metadata|cawg\.metadata|stds\.schema-org\.CreativeWork)/;
const TEXTS_MAX = 200;

function signedTexts({ c2pa }: Provenance): FileText[] {
  if (c2pa === null) return [];
  const active = new Map(Object.entries(c2pa.manifests)).get(c2pa.active_manifest);
  return itemsOf(fieldOf(active, 'assertions'))
    .filter((assertion) => METADATA_ASSERTION.test(String(fieldOf(assertion, 'label'))))
    .flatMap((assertion) => Object.entries(fieldOf(assertion, 'data') ?? {}))
    .flatMap(([name, value]) => textsOf(value).map((text) => ({ name: name.replace(/^.*:/, ''), text })))
    .filter(({ name }) => SIGNED_FIELDS.includes(name))
    .slice(0, TEXTS_MAX)
    .map(({ name, text }) => ({ field: `${SIGNED} ${name}`, text }));
}

const SIGNED_FIELDS = factFieldsOf(SIGNED);

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}

const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A text, the items of a list, a person's name, or a text in the file's own language. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap((item) => (Array.isArray(item) ? [] : textsOf(item)));
  const named = fieldOf(value, 'name') ?? fieldOf(value, 'x-default');
  return typeof named === 'string' ? [named] : [];
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Clocks of one device differ by seconds, fields without them by a minute. */
const CLOCK_SLACK = 2 * MINUTE;
/** Devices write their last fix, which may be of the day before. */
const FIX_SLACK = DAY;
/** Cameras are set by hand. */
const STAMP_SLACK = 10 * MINUTE;

function timeContradictions(facts: readonly FileFact[], stampedAt: number | null): Sentence[] {
  const of = (kind: FactKind) => facts.filter((fact) => fact.kind === kind);
  const [first, ...others] = of('captured');
  if (first === undefined) return [];
  const lies = (one: FileFact, other: FileFact, slack: number, isOneClock = false) =>
    gapOf(one, other, isOneClock) > slack || gapOf(other, one, isOneClock) > slack;
  const between = (one: FileFact, other: FileFact) => `${shown(one)}, ${shown(other)}`;
  const stamped = stampedAt === null ? null : { wall: toMs(stampedAt), instant: toMs(stampedAt) };
  const captured = clockTimeOf(first.value);
  return [
    ...others
      .filter((other) => lies(first, other, CLOCK_SLACK, true))
      .map((other) => differing(between(first, other))),
    ...of('changed')
      .filter((other) => gapOf(first, other) > CLOCK_SLACK)
      .map((other) => changedBefore(between(first, other))),
    ...of('satellite_time')
      .filter((other) => lies(first, other, FIX_SLACK))
      .map((other) => otherFix(between(first, other))),
    ...(stamped !== null && captured !== null && certainGap(captured, stamped, false) > STAMP_SLACK
      ? [capturedAfter(shown(first))]
      : []),
  ];
}

/** The least time of the first behind the other, in milliseconds; irrelevant if either is a day alone. */
function gapOf(later: FileFact, earlier: FileFact, isOneClock = false): number {
  const [one, other] = [clockTimeOf(later.value), clockTimeOf(earlier.value)];
  return one === null || other === null ? 0 : certainGap(one, other, isOneClock);
}

const toMs = (microseconds: number): number => microseconds / MICROSECONDS_PER_MS;
const shown = ({ field, value }: FileFact): string => `${value} (${field})`;

const differing = (times: string): Sentence =>
  both(`The times of capture differ: ${times}.`, `Gli orari di ripresa sono diversi: ${times}.`);
const changedBefore = (times: string): Sentence =>
  both(
    `It was changed before it was captured: ${times}.`,
    `È stato modificato prima della ripresa: ${times}.`,
  );
const otherFix = (times: string): Sentence =>
  both(
    `The satellites’ clock gives another day than the camera’s: ${times}.`,
    `L’orologio dei satelliti indica un giorno diverso da quello della fotocamera: ${times}.`,
  );
const capturedAfter = (time: string): Sentence =>
  both(
    `The time of capture lies after the time stamp of the signature: ${time}.`,
    `L’orario di ripresa è successivo alla marca temporale della firma: ${time}.`,
  );

/** The thumbnails of 58 cameras' photographs lie at most 64 bits away, those of other pictures at least 96. */
const THUMBNAIL_BITS_MAX = 80;

function thumbnailContradictions(bits: number | null): Sentence[] {
  if (bits === null || bits <= THUMBNAIL_BITS_MAX) return [];
  return [
    both(
      `The thumbnail in the file shows another picture, or the picture before it was edited (${bits} of 256 bits differ).`,
      `La miniatura nel file mostra un’altra immagine, o l’immagine prima della modifica (${bits} bit su 256 diversi).`,
    ),
  ];
}
