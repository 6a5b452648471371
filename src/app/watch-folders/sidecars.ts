/** A record as sidecar files: JSON for programs, XMP (ISO 16684-1) for archives, recognised by their contents. Pure. */
import type { RecordSummary } from '../../domain/answers/record-summary.ts';
import { formatTime } from '../../domain/time.ts';
import { VERSION } from '../../domain/version.ts';

/** A name, not an address: no program must fetch it. */
export const XMP_NAMESPACE = 'urn:assay:xmp:1.0:';

export function toJsonSidecar(summary: RecordSummary, endedAt: number | null): string {
  return `${JSON.stringify(fieldsOf(summary, endedAt), null, 2)}\n`;
}

function fieldsOf(summary: RecordSummary, endedAt: number | null): Record<string, unknown> {
  const { identifier, name, kind, sha256, refId, verdict, outcome, assessment, probability, reasons, link } =
    summary;
  return {
    identifier,
    name,
    kind,
    sha256,
    ref_id: refId,
    verdict,
    outcome,
    assessment,
    probability,
    reasons,
    link,
    analysed_at: endedAt === null ? null : formatTime(endedAt),
    assay_version: VERSION,
  };
}

const HASH = /^[0-9a-f]{64}$/;

/** Whether Assay wrote it and it is unchanged since. */
export function isUnchangedJson(text: string): boolean {
  const fields = parseObject(text);
  if (fields === null || typeof fields.identifier !== 'string' || !HASH.test(String(fields.sha256)))
    return false;
  return 'assay_version' in fields && Object.keys(fields).every((name) => FIELD_NAMES.has(name));
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

const FIELD_NAMES: ReadonlySet<string> = new Set([
  ...['identifier', 'name', 'kind', 'sha256', 'ref_id', 'verdict', 'outcome', 'assessment'],
  ...['probability', 'reasons', 'link', 'analysed_at', 'assay_version'],
]);

/** Namespaces of Assay's own XMP. */
const PREFIXES: ReadonlySet<string> = new Set(['x', 'rdf', 'assay']);

/** Like `isUnchangedJson`: with fields of another program, the file is that program's. */
export function isUnchangedXmp(text: string): boolean {
  if (!text.includes(`xmlns:assay="${XMP_NAMESPACE}"`) || !text.includes('<assay:identifier>')) return false;
  const prefixes = [...text.matchAll(/<\/?([\w-]+):|xmlns:([\w-]+)=/g)].map(([, tag, space]) => tag ?? space);
  return prefixes.every((prefix) => PREFIXES.has(prefix ?? ''));
}

/** One description with simple properties and one ordered list, which any reader of XMP accepts. */
export function toXmpSidecar(summary: RecordSummary, endedAt: number | null): string {
  const { reasons, ...simple } = fieldsOf(summary, endedAt) as Record<string, unknown> & {
    reasons: readonly string[];
  };
  const properties = Object.entries(simple).map(
    ([name, value]) =>
      `   <assay:${toCamelCase(name)}>${escapeXml(String(value ?? ''))}</assay:${toCamelCase(name)}>`,
  );
  const items = reasons.map((reason) => `     <rdf:li>${escapeXml(reason)}</rdf:li>`);
  return [
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    ' <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    `  <rdf:Description rdf:about="" xmlns:assay="${XMP_NAMESPACE}">`,
    ...properties,
    '   <assay:reasons>',
    '    <rdf:Seq>',
    ...items,
    '    </rdf:Seq>',
    '   </assay:reasons>',
    '  </rdf:Description>',
    ' </rdf:RDF>',
    '</x:xmpmeta>',
    '<?xpacket end="r"?>',
    '',
  ].join('\n');
}

function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Leaves out characters that XML 1.0 cannot hold even escaped, which file names may have. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
