/** XMP properties on what made a file, when, where and by whom, found in the text, since damaged packets are common. */
import type { FileText } from '../../domain/provenance/declared-marks.ts';
import { factFieldsOf } from '../../domain/provenance/file-facts.ts';

interface Properties {
  attribute: RegExp;
  element: RegExp;
}

function propertiesOf(names: string): Properties {
  return {
    attribute: new RegExp(`[\\s:](${names})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g'),
    element: new RegExp(`<(?:[\\w-]+:)?(${names})(\\s[^<>]*)?>`, 'g'),
  };
}

const MAKERS = propertiesOf(
  'DigitalSourceType|AISystemUsed|AISystemVersionUsed|AIPromptInformation|AIPromptWriterName|AIGC|CreatorTool|Software|softwareAgent|Credit|UserComment|description|parameters',
);
const FACTS = propertiesOf(factFieldsOf('XMP').join('|'));
const EDIT = propertiesOf('action|softwareAgent|when');
const RESOURCE = /\bresource\s*=\s*(?:"([^"]*)"|'([^']*)')/;
/** Properties of each form that are looked at; real packets have a few, and each costs a search for its end. */
const PROPERTIES_MAX = 64;

/** A packet as text: XMP may be written in UTF-16 (XMP Specification Part 3). */
export function decodeXmp(packet: Buffer): string {
  const zeros = packet.subarray(0, 64).filter((byte) => byte === 0).length;
  if (zeros < 16) return packet.toString('utf8');
  const even = Buffer.from(packet.subarray(0, packet.length & ~1));
  return (even[0] === 0 || even[0] === 0xfe ? even.swap16() : even).toString('utf16le');
}

export const readXmpTexts = (xmp: string): FileText[] => readProperties(xmp, MAKERS);

/** The facts that file-facts.ts asks for; parts of the history and of ingredients are none of the file. */
export function readXmpFacts(xmp: string): FileText[] {
  return [...readProperties(xmp.replaceAll(OF_OTHERS, ''), FACTS), ...readHistory(xmp)];
}

const OF_OTHERS = /<xmpMM:(History|DerivedFrom|Ingredients|Pantry)\b[\s\S]*?<\/xmpMM:\1>/g;
/** Real histories have up to some hundreds of steps; the last ones come last. */
const EDITS_MAX = 20;

function readHistory(xmp: string): FileText[] {
  const start = xmp.indexOf('<xmpMM:History');
  const end = xmp.indexOf('</xmpMM:History>', start);
  if (start < 0 || end < 0) return [];
  const items = xmp
    .slice(start, end)
    .split(/<rdf:li\b/)
    .slice(1);
  return items.slice(-EDITS_MAX).map((item) => {
    const said = readProperties(item, EDIT);
    const texts = ['action', 'softwareAgent', 'when'].map((name) =>
      said.find(({ field }) => field === `XMP ${name}`),
    );
    return { field: 'XMP History', text: texts.flatMap((found) => found?.text || []).join(', ') };
  });
}

function readProperties(xmp: string, { attribute, element }: Properties): FileText[] {
  const attributes = [...xmp.matchAll(attribute)]
    .slice(0, PROPERTIES_MAX)
    .map(([, name = '', double, single]) => ({ name, texts: [double ?? single ?? ''] }));
  const elements = [...xmp.matchAll(element)]
    .slice(0, PROPERTIES_MAX)
    .map((match) => ({ name: match[1] ?? '', texts: textsWithin(xmp, match) }));
  return [...attributes, ...elements].flatMap(({ name, texts }) =>
    texts.map((text) => ({ field: `XMP ${name}`, text: withoutEntities(text) })),
  );
}

/** An element's text, the items of its list, or the resource that it names. */
function textsWithin(xmp: string, match: RegExpExecArray): string[] {
  const [opening, name = '', attributes = ''] = match;
  const [, double, single] = RESOURCE.exec(attributes) ?? [];
  const resource = double ?? single;
  if (resource !== undefined) return [resource];
  if (opening.endsWith('/>')) return [];
  const start = match.index + opening.length;
  const end = xmp.indexOf(`${name}>`, start);
  if (end < 0) return [];
  const inner = xmp.slice(start, end).replace(/<\/[\w:-]*$/, '');
  return inner
    .split(/<[^<>]*>/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .slice(0, PROPERTIES_MAX);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&quot;', '"'],
  ['&#34;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
]);

function withoutEntities(text: string): string {
  return text.replaceAll(/&(?:quot|#34|apos|#39|lt|gt|amp);/g, (entity) => ENTITIES.get(entity) ?? entity);
}
