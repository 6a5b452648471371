/** The custody log, as far as its head shows; reading all of it is `assay custody verify`. */

import type { Finding } from '../../../domain/contract/appliance.ts';
import { findDisagreement } from '../../../store/custody/head-repair.ts';
import { SEGMENT_SUBJECT } from '../../../store/custody/reindex.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

const ADVICE = 'run `assay custody verify`, keep the last good backup, and see docs/custody.md';

export async function checkCustodyLog(app: ApplianceParts): Promise<Finding[]> {
  const { custody } = app.store.read;
  const disagreement = findDisagreement(custody);
  if (disagreement !== null) return [bad('custody', disagreement.reason, ADVICE)];
  const { values } = await app.metrics.custodyFaults.get();
  const faults = values.reduce((sum, { value }) => sum + value, 0);
  if (faults > 0) return [bad('custody', `the last verification found ${faults} faults`, ADVICE)];
  const segments = custody.rowsOf([SEGMENT_SUBJECT], { limit: 1 });
  const [last] = segments;
  const found = `${custody.size} entries, signed up to ${custody.lastCheckpointSize()}`;
  if (last === undefined) return [good('custody', found)];
  const reason = String(last.details?.what?.reason ?? 'the head and the last entry disagreed');
  return [notice('custody', `${found}; a segment begins at entry ${last.sequence}: ${reason}`, ADVICE)];
}
