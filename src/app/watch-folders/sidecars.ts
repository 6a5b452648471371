/**
 * A record as it is written beside its original: JSON for programs, XMP (ISO 16684-1) for those who look after pictures.
 * Pure; the original itself is never written.
 */
import type { RecordSummary } from '../../domain/records/record-summary.ts';
import { formatTime } from '../../domain/time.ts';
import { VERSION } from '../../domain/version.ts';

/** A name and no address: nothing is to be found there, and nothing must ask. */
export const XMP_NAMESPACE = 'urn:assay:xmp:1.0:';

export function toJsonSidecar(summary: RecordSummary, endedAt: number | null): string {
  return `${JSON.stringify(fieldsOf(summary, endedAt), null, 2)}\n`;
}

function fieldsOf(summary: RecordSummary, endedAt: number | null): Record<string, unknown> {
  const { identifier, name, kind, sha256, refId, verdict, outcome, assessment, probability, reasons, link } =
    summary;
  return {
    ...{ identifier, name, kind, sha256, ref_id: refId, verdict, outcome, assessment },
    ...{ probability, reasons, link, analysed_at: endedAt === null ? null : formatTime(endedAt) },
    assay_version: VERSION,
  };
}

/** One description with simple properties and one ordered list, as any reader of XMP takes them. */
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

/** Characters that XML 1.0 cannot hold, even escaped, are left out: a file's name may have them. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
