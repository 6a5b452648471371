/** Small packages for tests: written by the real writer, taken apart, changed, and put together again. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
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
}

export async function makePackage({ key, payload, beforeSignature }: PlannedPackage): Promise<Buffer> {
  const members = async function* () {
    for (const [path, bytes] of payload) {
      yield { path, open: () => Readable.from([bytes]), isCompressible: path.endsWith('.json') };
    }
  };
  const plan = {
    ...{ folder: FOLDER, createdAt: 1_800_000_000_000_000, key, payload: members(), info: [], predicate: {} },
    ...{ beforeSignature: beforeSignature ?? (async () => {}), report: () => {} },
  };
  return await buffer(Readable.from(writePackage(plan, NEVER)));
}

/** A record with its original, as a package of one has them. */
export function samplePayload(sha256: string, original: Buffer = ORIGINAL): Map<string, Buffer> {
  const record = { format: 1, identifier: 'a'.repeat(64), name: 'bridge.jpg', hash: sha256 };
  return new Map([
    ['data/original/bridge.jpg', original],
    ['data/record.json', Buffer.from(JSON.stringify(record))],
    ['data/report.pdf', Buffer.from('%PDF-1.7, for the test')],
    ['data/maps/heatmap.png', Buffer.from('a map')],
  ]);
}

/** By path below the package's folder. */
export async function takeApart(zipPath: string): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const zip = await openZip(zipPath);
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    members.set(entry.fileName.slice(entry.fileName.indexOf('/') + 1), bytes);
  }
  return members;
}

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
  const commands = text.match(/^ {3}(?:sha256sum|cut|openssl|ssh-keygen).*$/gm) ?? [];
  return commands.map((line) => line.trim()).filter((line) => !line.startsWith('openssl ts'));
}
