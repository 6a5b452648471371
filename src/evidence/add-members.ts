/** Adds members beside a package's signature; the present members are copied as they are, piece by piece. */
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { MEMBERS, TIMESTAMP_PATTERN } from './members.ts';
import { judgeTimestamp, type Timestamp, TimestampError } from './timestamps/timestamp.ts';
import { openZip, readPackage } from './zip-reader.ts';

export interface StampablePackage {
  path: string;
  /** The bytes that a token stamps. */
  signature: Buffer;
  /** SHA-256 of the signed list of files, hex: the name of the package. */
  packageSha256: string;
  /** Replies that lie in it, by their names. */
  replies: Map<string, Buffer>;
  /** Empty if there is none. */
  chainPem: string;
}

const REPLIES_MAX = 99;

/** Throws if the file is no zip, or has no signature that could be stamped. */
export async function openStampable(path: string): Promise<StampablePackage> {
  const { texts, hashes } = await readPackage(path);
  const signature = texts.get(MEMBERS.signature);
  const packageSha256 = hashes.get(MEMBERS.tagManifest);
  if (signature === undefined || packageSha256 === undefined) {
    throw new TimestampError(`is no evidence package: it has no ${MEMBERS.signature}`);
  }
  return {
    path,
    signature,
    packageSha256,
    replies: new Map([...texts].filter(([member]) => TIMESTAMP_PATTERN.test(member))),
    chainPem: texts.get(MEMBERS.tsaChain)?.toString('utf8') ?? '',
  };
}

export interface AddedTimestamps {
  /** Members that the package lacks or has otherwise; empty if it holds all of them already. */
  members: Map<string, Buffer>;
  timestamps: { member: string; timestamp: Timestamp }[];
}

/** Judges each reply first; throws a TimestampError. A reply that the package holds already is left out. */
export async function planTimestamps(
  { signature, replies, chainPem }: Omit<StampablePackage, 'path' | 'packageSha256'>,
  added: readonly Uint8Array[],
  rootsPem: string | null,
): Promise<AddedTimestamps> {
  const members = new Map<string, Buffer>();
  const timestamps: AddedTimestamps['timestamps'] = [];
  let number = 0;
  for (const reply of added.map((bytes) => Buffer.from(bytes))) {
    const timestamp = await judgeTimestamp(reply, { bytes: signature, rootsPem });
    if ([...replies.values(), ...members.values()].some((known) => known.equals(reply))) continue;
    do number += 1;
    while (replies.has(`timestamp-${number}.tsr`));
    if (number > REPLIES_MAX) throw new TimestampError(`would be more than ${REPLIES_MAX} in one package`);
    members.set(`timestamp-${number}.tsr`, reply);
    timestamps.push({ member: `timestamp-${number}.tsr`, timestamp });
  }
  const roots = rootsPem?.trim() ?? '';
  if (members.size > 0 && roots !== '' && !chainPem.includes(roots)) {
    members.set(MEMBERS.tsaChain, Buffer.from(`${chainPem}${roots}\n`));
  }
  return { members, timestamps };
}

/** The zip's bytes with the members added or replaced. */
export async function* withMembers(
  path: string,
  members: ReadonlyMap<string, Buffer>,
): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  const written = copyInto(zip, path, members).catch((error: unknown) => output.destroy(error as Error));
  try {
    yield* output as AsyncIterable<Buffer>;
    await written;
  } finally {
    output.destroy();
  }
}

async function copyInto(zip: ZipFile, path: string, members: ReadonlyMap<string, Buffer>): Promise<void> {
  const source = await openZip(path, { autoClose: false });
  const output = zip.outputStream as Readable;
  let folder = '';
  try {
    for await (const entry of source.eachEntry()) {
      const { fileName } = entry;
      const slash = fileName.indexOf('/');
      folder = fileName.slice(0, Math.max(0, slash));
      if (fileName.endsWith('/') || members.has(fileName.slice(slash + 1))) continue;
      const sink = new PassThrough();
      const options = { mtime: entry.getLastModDate(), compress: entry.compressionMethod !== 0 };
      zip.addReadStream(sink, fileName, options);
      const cut = () => sink.destroy();
      output.once('close', cut);
      // Resolves once it has gone through, so that the next one is opened only then.
      await pipeline(await source.openReadStreamPromise(entry), sink).finally(() => output.off('close', cut));
    }
  } finally {
    source.close();
  }
  for (const [member, bytes] of members) zip.addBuffer(bytes, `${folder}/${member}`, { compress: false });
  zip.end();
}
