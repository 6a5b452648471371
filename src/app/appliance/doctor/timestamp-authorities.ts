/** Whether each timestamp authority stamps now, and whether packages wait for one. */
import { randomBytes } from 'node:crypto';
import type { Finding } from '../../../domain/contract/appliance.ts';
import { askForTimestamp } from '../../evidence/timestamps.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good } from './finding.ts';

const BYTES = 32;
const ADVICE =
  'look at evidence.timestamp_authorities and the network; packages wait for a week, then `assay evidence timestamp` adds a token by hand';

export async function checkTimestampAuthorities({ config, store }: ApplianceParts): Promise<Finding[]> {
  const waiting = [...store.read.timestampsDue()].length;
  return await Promise.all(
    config.timestampAuthorities.map(async (authority) => {
      const name = `timestamp authority ${authority}`;
      const answer = await askForTimestamp(
        config,
        authority,
        randomBytes(BYTES),
        new AbortController().signal,
      );
      const found = 'reply' in answer ? 'stamps' : answer.error;
      const shown = `${found}; ${waiting} packages wait for tokens`;
      return 'reply' in answer ? good(name, shown) : bad(name, shown, ADVICE);
    }),
  );
}
