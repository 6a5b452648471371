/** Walks a list that the daemon gives in pages. */
import { Option } from 'commander';
import { parseCount } from './media-options.ts';

export const PAGE_SIZE = 100;
/** For more than this, use --all. */
const COUNT_MAX = 1_000_000;
const COUNT_DEFAULT = 25;

export interface CountOptions {
  limit: number;
  all?: true;
}

export function limitOption(): Option {
  return new Option('--limit <n>', 'how many')
    .default(COUNT_DEFAULT)
    .argParser((value) => parseCount(value, COUNT_MAX));
}

export const allOption = (): Option => new Option('--all', 'all of them, not only the first');

export interface Page<T> {
  items: T[];
  nextPageToken: string;
}

/** Reads page after page, so that a long list costs no memory. */
export async function* readPages<T>(
  { limit, all }: CountOptions,
  readPage: (request: { pageSize: number; pageToken: string }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let left = all === true ? Number.POSITIVE_INFINITY : limit;
  let pageToken = '';
  // The page size must stay the same: some lists are cut into pages by number.
  const pageSize = Math.min(PAGE_SIZE, left);
  do {
    const page = await readPage({ pageSize, pageToken });
    yield* page.items.slice(0, left);
    left -= page.items.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && left > 0);
}
