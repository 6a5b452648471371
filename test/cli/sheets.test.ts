import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { toCsvLine } from '../../src/domain/sheets/csv-line.ts';
import { safeCell } from '../../src/domain/sheets/formula-cell.ts';
import { until } from '../faults/rounds/submissions.ts';
import { makePicture } from '../interface/media.ts';
import { addCustomer, type Customer, type Service, shareService } from '../interface/service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { HeldPicture } from './held-picture.ts';
import { type Outcome, type RunOptions, runCommand } from './run-command.ts';

let service: Service;
let folder: TemporaryFolder;
let customer: Customer;
let source: Server;
let address: string;

before(async () => {
  service = await shareService();
  folder = await makeTemporaryFolder();
  customer = await addCustomer(service, { plan: { image_credits: 1 }, credits: 1000 });
  const picture = await makePicture();
  source = createServer((_, response) => response.end(picture)).listen(0, '127.0.0.1');
  await until(() => source.listening, 'the source');
  address = `http://127.0.0.1:${(source.address() as AddressInfo).port}/far.jpg`;
});
after(async () => {
  source.close();
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const at = (name: string): string => join(folder.path, name);

function assay(argv: readonly string[], more: Partial<RunOptions> = {}): Promise<Outcome> {
  return runCommand({ address: service.grpc, key: customer.key, ...more }, argv);
}

const readCsv = async (path: string, delimiter = ','): Promise<Record<string, string>[]> =>
  parse(await readFile(path, 'utf8'), { columns: true, delimiter, bom: true });

test('a cell that a spreadsheet would compute is written as text, and numbers stay numbers', () => {
  const cells = [
    '=1+1',
    '+2',
    '-3',
    '@sum',
    '\tx',
    '\rx',
    '＝x',
    ';=1',
    'a;=1\t@x',
    'a=b',
    'quote " and ,',
    '',
    -4,
    0.5,
    null,
  ];
  const line = toCsvLine(cells);
  const [read = []] = parse(line, { record_delimiter: '\r\n' }) as string[][];
  deepEqual(
    read,
    cells.map((cell) => (typeof cell === 'string' ? safeCell(cell) : String(cell ?? ''))),
  );
  deepEqual(read.slice(0, 4), ["'=1+1", "'+2", "'-3", "'@sum"]);
  // No cell begins with a sign for a program that splits columns at another character.
  deepEqual(read.slice(4, 9), ["'\tx", "'\rx", "'＝x", "';'=1", "a;'=1\t'@x"]);
  ok(line.endsWith(',-4,0.5,\r\n'), line);
});

test('a sheet comes back in its order with its columns and what each row came to', async () => {
  await writeFile(at('one.jpg'), await makePicture());
  await writeFile(at('two, "2".jpg'), await makePicture());
  const rows = [
    'desk;Address',
    '=A1;one.jpg',
    `wire;${address}`,
    'gone;absent.jpg',
    'none;',
    'last;"two, ""2"".jpg"',
  ];
  await writeFile(at('sheet.csv'), `\ufeff${rows.join('\r\n')}\r\n`);
  const { code, err } = await assay(['batch', 'run', at('sheet.csv'), '-o', at('out.csv')]);
  equal(code, 1, err);
  match(err, /3 judged, 2 failed/);
  match(err, /row 3: absent\.jpg: no such file/);
  const found = await readCsv(at('out.csv'), ';');
  deepEqual(
    found.map(({ desk, Address }) => [desk, Address]),
    [
      ["'=A1", 'one.jpg'],
      ['wire', address],
      ['gone', 'absent.jpg'],
      ['none', ''],
      ['last', 'two, "2".jpg'],
    ],
  );
  for (const row of [0, 1, 4]) {
    match(found[row]?.verdict ?? '', /^(human|artificial)$/);
    match(found[row]?.probability ?? '', /^0?\.?\d/);
    ok((found[row]?.reasons ?? '').length > 10);
    equal(found[row]?.link, `${service.url}/classifications/${found[row]?.assay_identifier}`);
  }
  equal(found[2]?.error, 'absent.jpg: no such file');
});

test('an interrupted sheet goes on behind its last whole row, and pays nothing twice', async () => {
  // The rows around the held one end, but those after it are not written before it.
  const held = 3;
  await using picture = await HeldPicture.open();
  const sources = Array.from({ length: 8 }, (_, index) => `again-${index}.jpg`);
  for (const name of sources) await writeFile(at(name), await makePicture());
  sources[held] = `${picture.address}/again-${held}.jpg`;
  await writeFile(at('again.csv'), `path,note\n${sources.map((name) => `${name},"two\nlines"\n`).join('')}`);
  const argv = ['batch', 'run', at('again.csv'), '-o', at('again-out.csv'), '--jobs', '2'];
  const spentBefore = (await customer.credits()).total_spent;
  const { read } = service.open.app.store;
  const ofSheet = () =>
    read.records
      .list({ accountId: customer.id, limit: 1000 })
      .filter(({ name, sourceUrl }) => name.startsWith('again-') || sourceUrl === sources[held]);
  const interrupt = new AbortController();
  const running = assay(argv, { interrupted: interrupt.signal });
  const hasEnded = () =>
    ofSheet().filter(({ analysisId }) => read.analyses.get(analysisId)?.state === 'done').length ===
    sources.length - 1;
  await until(hasEnded, 'the other rows');
  const writtenText = () => readFile(at('again-out.csv'), 'utf8');
  await until(
    async () => (await writtenText()).split('again-').length > held,
    'the rows before the held one',
  );
  interrupt.abort();
  const first = await running;
  equal(first.code, 130, first.err);
  picture.release();
  const whole = await writtenText();
  equal((await readCsv(at('again-out.csv'))).length, held);
  // The file as a kill leaves it, amid a quoted cell.
  await writeFile(at('again-out.csv'), `${whole}${sources[held]},"two`);
  const second = await assay(argv);
  equal(second.code, 0, second.err);
  match(second.err, new RegExp(`holds ${held} rows?:`));
  const rows = await readCsv(at('again-out.csv'));
  deepEqual(
    rows.map(({ path, note }) => [path, note]),
    sources.map((name) => [name, 'two\nlines']),
  );
  equal(new Set(rows.map(({ assay_identifier }) => assay_identifier)).size, sources.length);
  equal(ofSheet().length, sources.length);
  equal((await customer.credits()).total_spent - spentBefore, sources.length);
  const other = await assay(['batch', 'run', at('sheet.csv'), '-o', at('again-out.csv')]);
  equal(other.code, 2);
  match(other.err, /expected the results of this sheet to go on with/);
});

test('JSON Lines keep their fields; a sheet without a column of sources is refused', async () => {
  await writeFile(at('three.jpg'), await makePicture());
  await writeFile(at('rows.jsonl'), `{"id":7,"url":"three.jpg","tags":["a"]}\n{"id":8,"url":"three.jpg"}\n`);
  const argv = ['batch', 'run', at('rows.jsonl'), '-o', at('rows-out.jsonl')];
  const { code, err } = await assay(argv);
  equal(code, 0, err);
  const whole = await readFile(at('rows-out.jsonl'), 'utf8');
  const rows = whole
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  deepEqual(
    rows.map(({ id, url }) => [id, url]),
    [
      [7, 'three.jpg'],
      [8, 'three.jpg'],
    ],
  );
  deepEqual(rows[0].tags, ['a']);
  ok(Array.isArray(rows[0].reasons));
  // A kill leaves the file like this: cut off within the second row.
  await writeFile(at('rows-out.jsonl'), whole.slice(0, -20));
  const again = await assay(argv);
  match(again.err, /holds 1 row:/);
  deepEqual((await readFile(at('rows-out.jsonl'), 'utf8')).split('\n')[0], whole.split('\n')[0]);
  equal((await readFile(at('rows-out.jsonl'), 'utf8')).split('\n').length, 3);
  for (const text of [`{"id":9,"url":"three.jpg"}\n`, 'null\n', 'no JSON\n']) {
    await writeFile(at('rows-out.jsonl'), text);
    const other = await assay(argv);
    deepEqual(
      [other.code, /expected the results of this sheet to go on with/.test(other.err)],
      [2, true],
      text,
    );
    equal(await readFile(at('rows-out.jsonl'), 'utf8'), text, 'is left as it is');
  }
  await writeFile(at('wrong.csv'), 'a,b\n1,2\n');
  const wrong = await assay(['batch', 'run', at('wrong.csv'), '-o', at('never.csv')]);
  equal(wrong.code, 2);
  match(wrong.err, /expected one of source, url, .* found a, b/);
  equal((await assay(['batch', 'run', at('wrong.csv'), '-o', at('wrong.csv')])).code, 2);
});

test('records come out as CSV and JSON Lines, by the command line and from the daemon, by any filter', async () => {
  const evil = await addCustomer(service);
  await evil.classify('image', {
    image: new File([new Uint8Array(await makePicture())], '=cmd|calc.jpg'),
    ref_id: 'x',
  });
  const options = { key: evil.key };
  const csv = await assay(['export', '--format', 'csv', '--kind', 'image'], options);
  equal(csv.code, 0, csv.err);
  const [row] = parse(csv.out, { columns: true }) as Record<string, string>[];
  equal(row?.name, "'=cmd|calc.jpg");
  await assay(['export', '--format', 'jsonl', '-o', at('all.jsonl')], options);
  const json = JSON.parse(await readFile(at('all.jsonl'), 'utf8'));
  equal(json.name, '=cmd|calc.jpg');
  equal(String(json.probability), row?.probability);
  const fetched = (path: string, key = evil.key) =>
    fetch(`${service.url}${path}`, { headers: { 'x-api-key': key } });
  const download = await fetched('/exports/records.csv?kind=image&since=2020-01-01T00:00:00Z');
  equal(download.status, 200);
  match(download.headers.get('content-disposition') ?? '', /assay-records\.csv/);
  equal(Buffer.from(await download.arrayBuffer()).toString('utf8'), `\ufeff${csv.out}`);
  equal(await (await fetched('/exports/records.jsonl')).text(), await readFile(at('all.jsonl'), 'utf8'));
  equal(await (await fetched('/exports/records.jsonl?ref_id=other')).text(), '');
  equal((await fetched('/exports/records.csv?outcome=good')).status, 400);
  equal((await fetched('/exports/records.csv?since=yesterday')).status, 400);
  equal((await fetched('/exports/records.csv', 'wrong')).status, 401);
});

test('an export that cannot be written says so, and keeps the earlier one if the daemon is away', async () => {
  const full = await assay(['export', '-o', '/dev/full']);
  equal(full.code, 1);
  match(full.err, /^assay: ENOSPC/);
  await writeFile(at('kept.csv'), 'of yesterday');
  const away = await assay(['export', '-o', at('kept.csv')], { address: '127.0.0.1:1' });
  equal(away.code, 3);
  equal(await readFile(at('kept.csv'), 'utf8'), 'of yesterday');
  const nowhere = await assay(['batch', 'run', at('rows.jsonl'), '-o', at('none/out.jsonl')]);
  equal(nowhere.code, 1);
  match(nowhere.err, /^assay: ENOENT: .*none\/out\.jsonl/);
});

test('an export is streamed: thousands of records, and none of another account', async () => {
  const many = await addCustomer(service);
  const record = await many.classify('image', {
    image: new File([new Uint8Array(await makePicture())], 'a.jpg'),
  });
  const { store, clock } = service.open.app;
  const kept = store.read.records.get(record.identifier);
  ok(kept !== undefined);
  await store.transact((tx) => {
    for (let index = 0; index < 3000; index += 1) {
      const identifier = index.toString(16).padStart(64, '0');
      tx.putClassification({ ...kept, identifier, createdAt: clock.now() });
    }
  });
  const response = await fetch(`${service.url}/exports/records.jsonl`, {
    headers: { 'x-api-key': many.key },
  });
  const lines = (await response.text()).trim().split('\n');
  equal(lines.length, 3001);
  equal(new Set(lines.map((line) => JSON.parse(line).identifier)).size, 3001);
});
