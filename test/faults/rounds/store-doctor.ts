/** The doctor's looks at the store alone: a damaged row is nothing to decoders and ports, whose checks start processes and take seconds. */
import type { App } from '../../../src/app/appliance/app.ts';
import { checkTimestampAuthorities, checkWatchedFolders } from '../../../src/app/appliance/doctor/doctor.ts';
import type { Check } from '../../../src/app/appliance/doctor/finding.ts';
import {
  checkBackup,
  checkOriginals,
  checkReaders,
  checkRecords,
} from '../../../src/app/appliance/doctor/storage.ts';
import {
  checkAnswers,
  checkCustodyLog,
  checkPictureSearch,
} from '../../../src/app/appliance/doctor/store-checks.ts';
import type { Finding } from '../../../src/domain/contract/appliance.ts';

const CHECKS: readonly Check[] = [
  ...[checkRecords, checkAnswers, checkCustodyLog, checkPictureSearch, checkReaders, checkOriginals],
  ...[checkBackup, checkTimestampAuthorities, checkWatchedFolders],
];

export async function examineStore(app: App): Promise<Finding[]> {
  return (await Promise.all(CHECKS.map((check) => check(app, app.doctor)))).flat();
}
