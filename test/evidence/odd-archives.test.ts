import { deepEqual, match, ok, rejects } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { ZipFile } from 'yazl';
import { judgePackage } from '../../src/evidence/judge-package.ts';
import { RATIO_MAX, TEXT_BYTES_MAX, UNSIGNED_BYTES_MAX } from '../../src/evidence/zip-reader.ts';
import type { SigningKey } from '../../src/machinery/signing-key.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { FOLDER, makePackage, newKey, putTogether, samplePayload, takeApart } from './made-package.ts';

const ORIGINAL = Buffer.from('the original, byte for byte');
const HASH = createHash('sha256').update(ORIGINAL).digest('hex');
const LINK = 0o120777;
let folder: TemporaryFolder;
let key: SigningKey;
let whole: Map<string, Buffer>;

before(async () => {
  folder = await makeTemporaryFolder();
  key = await newKey(folder.path);
  const zip = join(folder.path, 'whole.zip');
  await writeFile(zip, await makePackage({ key, payload: samplePayload(key, HASH, ORIGINAL) }));
  whole = await takeApart(zip);
});

after(() => folder[Symbol.asyncDispose]());

interface Oddity {
  /** More entries of the zip, beside those of the whole package. */
  add?: (zip: ZipFile) => void;
  comment?: string;
  /** Changes the bytes of the finished zip. */
  patch?: (bytes: Buffer) => Buffer;
}

async function faultsOf({ add, comment, patch }: Oddity): Promise<string[]> {
  const zip = new ZipFile();
  for (const [path, bytes] of whole) zip.addBuffer(bytes, `${FOLDER}/${path}`);
  add?.(zip);
  zip.end({ forceZip64Format: false, comment: comment ?? '' });
  const bytes = await buffer(zip.outputStream as Readable);
  const path = join(folder.path, 'odd.zip');
  await writeFile(path, patch?.(bytes) ?? bytes);
  const { faults } = await judgePackage({ path, fingerprints: [key.fingerprint] });
  return faults.map(({ member, fault }) => `${member}: ${fault}`);
}

/** Renames a file in both places that name it, or in one of them. */
function rename(bytes: Buffer, from: string, to: string, occurrences = 2): Buffer {
  const copy = Buffer.from(bytes);
  let at = 0;
  for (let done = 0; done < occurrences; done += 1) {
    at = copy.indexOf(from, at);
    ok(at >= 0 && from.length === Buffer.byteLength(to), from);
    at += copy.write(to, at);
  }
  return copy;
}

test('the whole package has no fault, whichever program packed it', async () => {
  deepEqual(await faultsOf({}), []);
  deepEqual(await faultsOf({ add: (zip) => zip.addEmptyDirectory(`${FOLDER}/data/`) }), []);
});

test('a link in the place of a member, and one beside them', async () => {
  const link = { mode: LINK };
  const beside = await faultsOf({
    add: (zip) => zip.addBuffer(Buffer.from('/etc/passwd'), `${FOLDER}/data/original/more.jpg`, link),
  });
  match(beside.join('\n'), /^data\/original\/more\.jpg: is a link or another special file/m);
  match(beside.join('\n'), /^data\/original\/more\.jpg: was added/m);
  const token = await faultsOf({
    add: (zip) => zip.addBuffer(Buffer.from('/etc/passwd'), `${FOLDER}/tsa-chain.pem`, link),
  });
  match(token.join('\n'), /^tsa-chain\.pem: is a link or another special file/m);
});

test('bytes, links and emptiness under the name of a folder', async () => {
  const hidden = await faultsOf({
    add: (zip) => zip.addBuffer(Buffer.from('more'), `${FOLDER}/data/mapsX`),
    patch: (bytes) => rename(bytes, `${FOLDER}/data/mapsX`, `${FOLDER}/data/maps/`),
  });
  deepEqual(hidden, ['data/maps/: is a folder that holds bytes, which no list names']);
  const empty = await faultsOf({ add: (zip) => zip.addEmptyDirectory(`${FOLDER}/data/other/`) });
  deepEqual(empty, ['data/other/: is an empty folder: no list names it']);
  const linked = await faultsOf({
    add: (zip) => zip.addBuffer(Buffer.alloc(0), `${FOLDER}/data/mapsX`, { mode: LINK, compress: false }),
    patch: (bytes) => rename(bytes, `${FOLDER}/data/mapsX`, `${FOLDER}/data/maps/`),
  });
  deepEqual(linked, ['data/maps/: is a link or another special file under the name of a folder']);
});

test('files beside the folder, a comment, another name in front of the bytes, a name twice', async () => {
  const beside = await faultsOf({ add: (zip) => zip.addBuffer(Buffer.from('hi'), 'README.txt') });
  match(beside.join('\n'), /^the zip: expected everything in one folder, found files beside it$/m);
  const second = await faultsOf({ add: (zip) => zip.addBuffer(Buffer.from('hi'), 'other/README.txt') });
  match(second.join('\n'), /^the zip: expected one folder, found 2$/m);
  deepEqual(await faultsOf({ comment: 'all is well' }), ['the zip: has a comment that nothing signs']);
  const renamed = await faultsOf({
    patch: (bytes) => rename(bytes, `${FOLDER}/data/report.pdf`, `${FOLDER}/data/rePort.pdf`, 1),
  });
  deepEqual(renamed, [`data/report.pdf: has another name in front of its bytes: ${FOLDER}/data/rePort.pdf`]);
  const twice = await faultsOf({
    add: (zip) => zip.addBuffer(Buffer.from('another'), `${FOLDER}/data/report.pdf`),
  });
  deepEqual(twice, ['data/report.pdf: is there twice']);
});

/** The same zip with another record in its list of files in the place of the last one. */
function withLastRecord(bytes: Buffer, change: (record: Buffer) => Buffer): Buffer {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const at = bytes.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'), end);
  const [old, tail] = [bytes.subarray(at, end), Buffer.from(bytes.subarray(end))];
  const record = change(Buffer.from(old));
  const gone = record.length === 0 ? 1 : 0;
  for (const place of [8, 10]) tail.writeUInt16LE(tail.readUInt16LE(place) - gone, place);
  tail.writeUInt32LE(tail.readUInt32LE(12) + record.length - old.length, 12);
  return Buffer.concat([bytes.subarray(0, at), record, tail]);
}

test('a file that the list at the end lacks is refused', async () => {
  const hidden: Oddity = {
    add: (zip) => zip.addBuffer(Buffer.from('forged'), `${FOLDER}/data/report.html`),
    patch: (bytes) => withLastRecord(bytes, () => Buffer.alloc(0)),
  };
  deepEqual(await faultsOf(hidden), ['the zip: holds bytes beside its files, which no list names']);
});

test('a name in an extra field, for which the files are judged and not every program looks', async () => {
  const [last = ''] = [...whole.keys()].slice(-1);
  const other = last.replace(/.$/, 'X');
  const faults = await faultsOf({
    patch: (bytes) =>
      withLastRecord(rename(bytes, `${FOLDER}/${last}`, `${FOLDER}/${other}`), (record) => {
        const [raw, name] = [Buffer.from(`${FOLDER}/${other}`), Buffer.from(`${FOLDER}/${last}`)];
        const field = Buffer.alloc(9);
        field.writeUInt16LE(0x7075, 0);
        field.writeUInt16LE(5 + name.length, 2);
        field.writeUInt8(1, 4);
        field.writeUInt32LE(crc32(raw), 5);
        record.writeUInt16LE(record.readUInt16LE(30) + field.length + name.length, 30);
        return Buffer.concat([record, field, name]);
      }),
  });
  deepEqual(faults, [`${last}: has another name as well: ${FOLDER}/${other}`]);
});

test('additions that nothing signs, and texts that are too large to be looked into, are named', async () => {
  for (const [member, size, most] of [
    ['timestamp-1.tsr', UNSIGNED_BYTES_MAX + 1, UNSIGNED_BYTES_MAX],
    ['tsa-chain.pem', TEXT_BYTES_MAX + 1, UNSIGNED_BYTES_MAX],
    ['data/figures.json', TEXT_BYTES_MAX + 1, TEXT_BYTES_MAX],
  ] as const) {
    const add = (zip: ZipFile) =>
      zip.addBuffer(Buffer.alloc(size, 1), `${FOLDER}/${member}`, { compress: false });
    const said = `${member}: has ${size} bytes, expected at most ${most}: it was not looked into`;
    ok((await faultsOf({ add })).includes(said), member);
  }
});

test('a zip that unpacks to far more than it has is refused unread, and names the file', async () => {
  const path = join(folder.path, 'dense.zip');
  await putTogether(new Map(whole).set('data/maps/heatmap.png', Buffer.alloc(40 * 1024 ** 2)), path);
  const begun = performance.now();
  await rejects(
    judgePackage({ path, fingerprints: [] }),
    new RegExp(
      `data/maps/heatmap\\.png unpacks to 41943040 bytes out of \\d+; .* at most ${RATIO_MAX} for each`,
    ),
  );
  ok(performance.now() - begun < 2000);
});

test('entries that share the same bytes are refused unread', async () => {
  const zip = new ZipFile();
  zip.addBuffer(randomBytes(100_000), `${FOLDER}/data/a`, { compress: false });
  zip.end();
  const bytes = await buffer(zip.outputStream as Readable);
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const [start, size] = [bytes.readUInt32LE(end + 16), bytes.readUInt32LE(end + 12)];
  const entry = bytes.subarray(start, start + size);
  const tail = Buffer.from(bytes.subarray(end));
  for (const at of [8, 10]) tail.writeUInt16LE(50, at);
  tail.writeUInt32LE(50 * size, 12);
  const path = join(folder.path, 'shared.zip');
  const entries = Array.from({ length: 50 }, () => entry);
  await writeFile(path, Buffer.concat([bytes.subarray(0, start), ...entries, tail]));
  await rejects(
    judgePackage({ path, fingerprints: [] }),
    /its files share bytes: they take 5000000 of a zip of/,
  );
});
