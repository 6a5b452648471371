/** What a search with a picture looks through, how far earlier pictures have been described, and which parts of its index are damaged. */
import type { Finding } from '../../../domain/contract/appliance.ts';
import type { ApplianceParts } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

const BYTES_PER_MIB = 2 ** 20;

export function checkPictureSearch({ keptPictures, earlierPictures }: ApplianceParts): Finding[] {
  const { pictures, bytes, fileBytes, fileFault, damaged } = keptPictures.state;
  const { looked, total, learned, gone, unreadable, isDone } = earlierPictures.state;
  const file = fileBytes > 0 ? [`${toMebibytes(fileBytes)} MiB in a file`] : [];
  const memory = [`${toMebibytes(bytes)} MiB`, ...file].join(', ');
  const parts = [
    `${pictures} pictures and frames are found by a part (${memory})`,
    ...(learned > 0 ? [`${learned} earlier ones were described since the start`] : []),
    ...(gone > 0 ? [`${gone} are found as a whole only, their files are not kept`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be decoded`] : []),
    ...(isDone ? [] : [`${looked} of ${total} analyses were looked through`]),
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
  if (isDone) return [good('search', found)];
  return [
    notice('search', found, 'wait: earlier pictures are described while the box has nothing else to do'),
  ];
}

function toMebibytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MIB);
}
