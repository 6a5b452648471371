/** The properties of an XMP packet that may say what made a file, read from its text: damaged packets are common. */
import type { FileText } from '../../domain/provenance/declared-marks.ts';

const NAMES =
  'DigitalSourceType|AISystemUsed|AISystemVersionUsed|AIPromptInformation|AIPromptWriterName|AIGC|CreatorTool|Software|softwareAgent|Credit|UserComment|description|parameters';
const ATTRIBUTE = new RegExp(`[\\s:](${NAMES})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const ELEMENT = new RegExp(`<(?:[\\w-]+:)?(${NAMES})(\\s[^<>]*)?>`, 'g');
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

export function readXmpTexts(xmp: string): FileText[] {
  const attributes = [...xmp.matchAll(ATTRIBUTE)]
    .slice(0, PROPERTIES_MAX)
    .map(([, name = '', double, single]) => ({ name, texts: [double ?? single ?? ''] }));
  const elements = [...xmp.matchAll(ELEMENT)]
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
