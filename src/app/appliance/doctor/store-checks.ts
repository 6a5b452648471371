/** Checks the store: whether lists find every record, whether the custody log is whole, and what picture searches cover. */
import { randomBytes } from 'node:crypto';
import type { Finding } from '../../../domain/contract/appliance.ts';
import { findDisagreement } from '../../../store/custody/head-repair.ts';
import { SEGMENT_SUBJECT } from '../../../store/custody/reindex.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

/** Records from a random one on: a second at most, and the next call looks at others. */
const RECORDS_MAX = 5000;
const IDENTIFIER_BYTES = 32;
const LOOK_MS_MAX = 2000;

export async function checkAnswers({ store }: ApplianceParts): Promise<Finding[]> {
  if (!store.read.records.areAnswersComplete) {
    const advice = 'wait: lists by verdict or outcome take longer until it is complete';
    return [notice('lists', 'the index of answers is being made', advice)];
  }
  const signal = AbortSignal.timeout(LOOK_MS_MAX);
  const chance = randomBytes(IDENTIFIER_BYTES).toString('hex');
  const later = await store.compareAnswers({ after: chance, recordsMax: RECORDS_MAX }, signal);
  const rest = { after: '', recordsMax: RECORDS_MAX - later.records };
  const earlier = await store.compareAnswers(rest, signal);
  const wrong = [...later.wrong, ...earlier.wrong];
  const found = `${later.records + earlier.records} records were compared with the indexes of their lists`;
  if (wrong.length === 0) return [good('lists', found)];
  const advice = 'stop the daemon and run `assay restore --rebuild-indexes`; then report it with the log';
  return [bad('lists', `${found}, ${wrong.length} are not where a list looks: ${wrong[0]}`, advice)];
}

const ADVICE = 'run `assay custody verify`, keep the last good backup, and see docs/custody.md';

/** The custody log by its head; `assay custody verify` reads all of it. */
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

const BYTES_PER_MIB = 2 ** 20;

/** How many pictures a search covers, how far earlier ones have been described, and damaged parts of the index. */
export function checkPictureSearch({ keptPictures, earlierPictures }: ApplianceParts): Finding[] {
  const { pictures, bytes, fileBytes, fileFault, damaged } = keptPictures.state;
  const { looked, total, learned, gone, unreadable, isDone } = earlierPictures.state;
  const isWaiting = !isDone && total > 0;
  const file = fileBytes > 0 ? [`${toMebibytes(fileBytes)} MiB in a file`] : [];
  const memory = [`${toMebibytes(bytes)} MiB`, ...file].join(', ');
  const parts = [
    `${pictures} pictures and frames are found by a part (${memory})`,
    ...(learned > 0 ? [`${learned} earlier ones were described since the start`] : []),
    ...(gone > 0 ? [`${gone} are found as a whole only, their files are not kept`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be decoded`] : []),
    ...(total === 0 ? ['no analysis has ended yet'] : []),
    ...(isWaiting ? [`${looked} of ${total} analyses were looked through`] : []),
  ];
  const found = parts.join('; ');
  if (damaged > 0) {
    const advice = 'restore a backup, or submit these pictures again; the log names the rows';
    return [bad('search', `${found}; ${damaged} rows are damaged and left out`, advice)];
  }
  if (fileFault !== null) {
    const advice =
      'make room in the data folder and restart: until then the index needs memory, 1.6 KB for each picture';
    return [bad('search', `${found}; no file could be written for the index: ${fileFault}`, advice)];
  }
  if (!isWaiting) return [good('search', found)];
  return [
    notice('search', found, 'wait: earlier pictures are described while the box has nothing else to do'),
  ];
}

const toMebibytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_MIB);
