/** Small packages for tests: written by the real writer, taken apart, changed, and put together again. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { originOf, signCheckpoint } from '../../src/domain/custody/checkpoint.ts';
import { commitTo, encodeEntry } from '../../src/domain/custody/entry.ts';
import { leafHashOf } from '../../src/domain/custody/merkle-tree.ts';
import { type RecordCustody, toCustodyFiles } from '../../src/evidence/custody-members.ts';
import { folderOfRecord } from '../../src/evidence/members.ts';
import { writePackage } from '../../src/evidence/package-writer.ts';
import { openZip } from '../../src/evidence/zip-reader.ts';
import { type SigningKey, SigningKeys } from '../../src/machinery/signing-key.ts';

export const FOLDER = 'assay-evidence-test';
const NEVER = new AbortController().signal;
const ORIGINAL = Buffer.from('the original, byte for byte');

export async function newKey(folder: string): Promise<SigningKey> {
  const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return (await SigningKeys.open({ folder, givenPem: pem, now: () => 1 })).current();
}

export interface PlannedPackage {
  key: SigningKey;
  payload: ReadonlyMap<string, Buffer>;
  beforeSignature?: () => Promise<void>;
  /** The statement of the attestation; that of the records by default. */
  predicate?: object;
}

export async function makePackage({
  key,
  payload,
  beforeSignature,
  predicate = { findings: findingsIn(payload) },
}: PlannedPackage): Promise<Buffer> {
  const members = async function* () {
    for (const [path, bytes] of payload) {
      yield { path, open: () => Readable.from([bytes]), isCompressible: path.endsWith('.json') };
    }
  };
  const plan = {
    ...{ folder: FOLDER, createdAt: 1_800_000_000_000_000, key, payload: members(), info: [], predicate },
    ...{ beforeSignature: beforeSignature ?? (async () => {}), report: () => {} },
  };
  return await buffer(Readable.from(writePackage(plan, NEVER)));
}

/** What the attestation of these files states, as the box writes it of each record. */
function findingsIn(payload: ReadonlyMap<string, Buffer>): object[] {
  return [...payload].flatMap(([path, bytes]) => {
    if (folderOfRecord(path) === null) return [];
    const { identifier, hash } = JSON.parse(bytes.toString('utf8'));
    return [{ identifier, sha256: hash }];
  });
}

/** A record with its original, as a package of one has them; its analysis ended without a result. */
export function samplePayload(
  key: SigningKey,
  sha256: string,
  original: Buffer = ORIGINAL,
): Map<string, Buffer> {
  const identifier = 'a'.repeat(64);
  const member = 'data/original/bridge.jpg';
  const about = { identifier, name: 'bridge.jpg', hash: sha256, status: 'errored' };
  const texts = {
    'data/record.json': JSON.stringify({ format: 2, ...about, original: { isIncluded: true, member } }),
    'data/report.pdf': '%PDF-1.7, for the test',
    'data/report.html': '<!doctype html><title>for the test</title>',
    'data/models.json': '[]',
    'data/case.json': JSON.stringify({
      format: 1,
      title: 'Bridge',
      records: [{ identifier, folder: 'data/' }],
    }),
    'data/maps/heatmap.png': 'a map',
  };
  const custody = toCustodyFiles(oneEntryLog(key, identifier)).map(([name, text]) => [`data/${name}`, text]);
  const files = [...Object.entries(texts), ...custody] as [string, string][];
  return new Map([[member, original], ...files.map(([path, text]) => [path, Buffer.from(text)] as const)]);
}

/** A log with one entry: that the record was received. */
function oneEntryLog(key: SigningKey, subject: string): RecordCustody {
  const [detailsJson, salt, at] = ['{}', Buffer.alloc(32, 7), 1_800_000_000_000_000];
  const entry = { sequence: 0, at, kind: 'received', subject, actor: 1, previous: '' } as const;
  const line = encodeEntry({ ...entry, commitment: commitTo(detailsJson, salt) });
  const head = { origin: originOf('test'), size: 1, root: leafHashOf(line) };
  const proven = {
    sequence: 0,
    at,
    kind: 'received',
    accountId: 1,
    accountName: 'Ada',
    facade: 'rest',
    line,
    detailsJson,
  };
  return {
    checkpoint: signCheckpoint(head, key),
    size: 1,
    entries: [{ ...proven, salt: salt.toString('hex'), inclusion: [] }],
    earlier: [],
  };
}

/** Returns the members by path below the package's folder. */
export async function takeApart(zipPath: string): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const zip = await openZip(zipPath);
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    members.set(entry.fileName.slice(entry.fileName.indexOf('/') + 1), bytes);
  }
  return members;
}

/** Writes the package with another program: members in any order, all of them plain files. */
export async function putTogether(members: ReadonlyMap<string, Buffer>, zipPath: string): Promise<void> {
  const zip = new ZipFile();
  for (const [path, bytes] of members) zip.addBuffer(bytes, `${FOLDER}/${path}`);
  zip.end();
  await writeFile(zipPath, await buffer(zip.outputStream as Readable));
}

export async function unpack(members: ReadonlyMap<string, Buffer>, folder: string): Promise<void> {
  for (const [path, bytes] of members) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes);
  }
}

/** The commands of VERIFY.txt as it lies in the package, in its order, but for those on timestamps. */
export async function readCommands(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'VERIFY.txt'), 'utf8');
  const commands = (text.match(/^ {6}\S.*$/gm) ?? []).map((line) => line.trim());
  return commands.filter((line) => !line.startsWith('openssl ts'));
}
