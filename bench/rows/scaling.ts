/**
 * How cost grows: what a reader asks of a thousand, a hundred thousand and a million records, and pictures of 1 to 64
 * submitters at once. One run each, since it takes long; the figures are to be compared with one another.
 */
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Store } from '../../src/store/store.ts';
import { TEST_KEY, TestDaemon } from '../../test/daemon.ts';
import { identifierOf, seedRecords } from '../../test/seeded-records.ts';
import { measureGets } from '../get-load.ts';
import { classifyMedia } from '../grpc-media.ts';
import { makePhotos, stampJpeg } from '../photos.ts';
import type { Row } from '../row.ts';

const RECORDS = [1_000, 100_000, 1_000_000];
const SUBMITTERS = [1, 4, 16, 64];
/** So that the last submitters have one each. */
const PICTURES_MIN = 64;
const PAGE = 100;
const PAGES_MAX = 10_000;
/** Older than all others: a walk from the newest meets it last. */
const OLDEST = 'harbour at dawn.jpg';

export async function measureScaling(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of SUBMITTERS) rows.push(await measureSubmitters(count));
  for (const count of RECORDS) rows.push(...(await measureRecordsOf(count)));
  return rows;
}

async function measureSubmitters(hands: number): Promise<Row> {
  await using daemon = await TestDaemon.start();
  const photos = await makePhotos();
  const many = Array.from({ length: PICTURES_MIN }, (_, index) => {
    const photo = photos[index % photos.length] ?? Buffer.alloc(0);
    return stampJpeg(photo, `${hands} submitters, picture ${index}`);
  });
  const { filesPerSecond } = await classifyMedia(daemon, many, { hands, header: {} });
  return { name: `pictures of ${hands} submitters`, unit: '1/s', better: 'higher', runs: [filesPerSecond] };
}

async function measureRecordsOf(count: number): Promise<Row[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
  await seed(folder.path, count);
  await using daemon = await TestDaemon.start({ folder: folder.path });
  const of = (name: string) => `${name}, ${count} records`;
  const gets = await measureGets(`${daemon.http}/api/classification/${identifierOf(count - 1)}`);
  const first = await ask(daemon, {});
  const named = await ask(daemon, { search: OLDEST });
  const judged = await ask(daemon, { verdict: 'ARTIFICIAL' });
  const milliseconds = { unit: 'ms', better: 'lower' } as const;
  const pages = { unit: 'pages', better: 'lower' } as const;
  return [
    { name: of('GET record'), unit: '1/s', better: 'higher', runs: [gets.perSecond] },
    { ...milliseconds, name: of('the newest hundred'), runs: [first.firstPageMs] },
    { ...milliseconds, name: of('the oldest by its name'), runs: [named.milliseconds] },
    { ...pages, name: of('the oldest by its name'), runs: [named.pages] },
    { ...milliseconds, name: of('the one with a verdict'), runs: [judged.milliseconds] },
    { ...pages, name: of('the one with a verdict'), runs: [judged.pages] },
  ];
}

async function seed(folder: string, count: number): Promise<void> {
  {
    // Makes the account that the records are of.
    await using _daemon = await TestDaemon.start({ folder });
  }
  await using store = await Store.open({ folder });
  await seedRecords(store, count, (index) => ({
    name: index === 0 ? OLDEST : `picture-${index}.jpg`,
    probability: index === 0 ? 0.95 : 0.05,
  }));
}

interface Answered {
  firstPageMs: number;
  milliseconds: number;
  pages: number;
}

/** Pages until one holds something. */
async function ask({ http }: TestDaemon, filter: Record<string, string>): Promise<Answered> {
  const startedAt = performance.now();
  let after: string | null = null;
  let firstPageMs = 0;
  for (let pages = 1; pages <= PAGES_MAX; pages++) {
    const { nodes, pageInfo } = await askPage(http, filter, after);
    const milliseconds = performance.now() - startedAt;
    if (pages === 1) firstPageMs = milliseconds;
    if (nodes.length > 0) return { firstPageMs, milliseconds, pages };
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  throw new Error(`nothing was found by ${JSON.stringify(filter)}`);
}

interface Page {
  nodes: { identifier: string }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

async function askPage(http: string, filter: Record<string, string>, after: string | null): Promise<Page> {
  const query = `query ($filter: ClassificationFilter, $after: String) {
    classifications(first: ${PAGE}, after: $after, filter: $filter) {
      nodes { identifier } pageInfo { hasNextPage endCursor } } }`;
  const response = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': TEST_KEY },
    body: JSON.stringify({ query, variables: { filter, after } }),
  });
  const { data, errors } = (await response.json()) as {
    data?: { classifications: Page };
    errors?: { message: string }[];
  };
  if (data === undefined) throw new Error(errors?.[0]?.message ?? `answered ${response.status}`);
  return data.classifications;
}
