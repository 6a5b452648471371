/** Whether lists by verdict, outcome, state and reference find every record. */
import { randomBytes } from 'node:crypto';
import type { Finding } from '../../../domain/contract/appliance.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

/** From a random one on: a second at most, and the next call looks at others. */
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
