/** What runs out: the listeners' certificate, and the lists of whose signatures are trusted. */

import type { Finding } from '../../../domain/contract/appliance.ts';
import { vouchesForSigners } from '../../../domain/provenance/trust-list.ts';
import { MICROSECONDS_PER_DAY } from '../../../domain/time.ts';
import type { ApplianceParts, DoctorConfig } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Renewal usually happens a month ahead; if it has not two weeks before the end, it failed. */
const CERTIFICATE_DAYS_MIN = 14;
/** Publishers of trust lists add authorities every few weeks. */
const TRUST_LIST_DAYS_MAX = 90;

export function checkTls(_app: ApplianceParts, { tls }: DoctorConfig): Finding[] {
  if (tls === null) return [];
  const days = (tls.validUntil - Date.now()) / DAY_MS;
  const found = `the certificate ends ${new Date(tls.validUntil).toISOString()}`;
  if (days > CERTIFICATE_DAYS_MIN) return [good('tls', found)];
  const advice =
    'renew it and replace the files of tls.cert_file and tls.key_file; they are read again by themselves';
  return [(days > 0 ? notice : bad)('tls', found, advice)];
}

/** A list that is frozen ages without harm: nothing is added to it any more. */
export function checkTrustLists({ trust, clock }: ApplianceParts): Finding[] {
  const on = trust.all.filter(({ isOn }) => isOn);
  if (!on.some(vouchesForSigners)) {
    return [
      notice('trust lists', 'none is on that vouches for signers', 'switch one on: assay trust on c2pa'),
    ];
  }
  const now = clock.now() / MICROSECONDS_PER_DAY;
  const old = on.filter(
    ({ date, frozen }) => frozen === null && date !== '' && now - dayOf(date) > TRUST_LIST_DAYS_MAX,
  );
  const found = on.map(({ id, date }) => (date === '' ? id : `${id} of ${date}`)).join(', ');
  if (old.length === 0) return [good('trust lists', found)];
  const names = old.map(({ id }) => id).join(', ');
  const advice = `older than ${TRUST_LIST_DAYS_MAX} days: ${names}; get them from their publishers, then assay trust update`;
  return [notice('trust lists', found, advice)];
}

function dayOf(date: string): number {
  return Date.parse(date) / DAY_MS;
}
