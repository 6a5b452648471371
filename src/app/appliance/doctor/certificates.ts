/** What runs out: the listeners' certificate, and the list of whose signatures are trusted. */
import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { ApplianceParts, DoctorConfig } from '../parts.ts';
import { bad, type Finding, good, notice } from './finding.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Renewal usually happens a month ahead; if it has not two weeks before the end, it failed. */
const CERTIFICATE_DAYS_MIN = 14;
/** Publishers of trust lists add issuers several times a year. */
const TRUST_LIST_DAYS_MAX = 180;

export function checkTls(_app: ApplianceParts, { tls }: DoctorConfig): Finding[] {
  if (tls === null) return [];
  const days = (tls.validUntil - Date.now()) / DAY_MS;
  const found = `the certificate ends ${new Date(tls.validUntil).toISOString()}`;
  if (days > CERTIFICATE_DAYS_MIN) return [good('tls', found)];
  const advice =
    'renew it and replace the files of tls.cert_file and tls.key_file; they are read again by themselves';
  return [(days > 0 ? notice : bad)('tls', found, advice)];
}

export async function checkTrustAnchors(
  _app: ApplianceParts,
  { trustAnchorsPem, trustAnchorsFile }: DoctorConfig,
): Promise<Finding[]> {
  const certificates =
    trustAnchorsPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) {
    const advice = 'set provenance.trust_anchors_file: without it no C2PA signature counts as trusted';
    return [notice('trust anchors', 'none', advice)];
  }
  const expired = certificates.filter((pem) => new X509Certificate(pem).validToDate.getTime() < Date.now());
  const days = await ageDaysOf(trustAnchorsFile);
  const age = days === null ? 'the file is gone since the start' : `the file is ${Math.floor(days)} days old`;
  const found = `${certificates.length}, of which ${expired.length} have expired; ${age}`;
  const isFresh = days !== null && days <= TRUST_LIST_DAYS_MAX;
  if (expired.length === 0 && isFresh) return [good('trust anchors', found)];
  return [notice('trust anchors', found, 'fetch the current list from its publisher, then restart')];
}

async function ageDaysOf(path: string | null): Promise<number | null> {
  if (path === null) return null;
  const found = await stat(path).catch(() => null);
  return found === null ? null : (Date.now() - found.mtimeMs) / DAY_MS;
}
