/** Writes a package as a stream: each file is hashed as it goes into the zip. Memory is one piece of one file. */

import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { MICROSECONDS_PER_MS } from '../domain/time.ts';
import { type SigningKey, toSshPublicKey } from '../machinery/signing-key.ts';
import { FINDING_TYPE, toEnvelope } from './attestation.ts';
import { BAGIT, type BagEntry, oxumOf, toBagInfo, toManifest } from './bag.ts';
import { isOutsideTagManifest, MEMBERS } from './members.ts';
import { pathsInEveryPackage } from './required-members.ts';
import { SSH_NAMESPACE, SSH_PRINCIPAL, toAllowedSigners, toSshSignature } from './ssh-signature.ts';

/** A file below `data/`. */
export interface PayloadMember {
  path: string;
  /** Opened when its turn comes. */
  open: () => AsyncIterable<Uint8Array>;
  /** False for files that are compressed already. */
  isCompressible: boolean;
}

export interface PackagePlan {
  /** The one folder that holds everything, as RFC 8493 demands. */
  folder: string;
  /** Microseconds since 1970 UTC. */
  createdAt: number;
  key: SigningKey;
  payload: AsyncIterable<PayloadMember>;
  /** Further fields of bag-info.txt. */
  info: readonly (readonly [string, string])[];
  /** The attestation's predicate and its type: a finding unless given. */
  predicate: object;
  predicateType?: string;
  /** Called once everything but the signature is written: it records the package before anyone can hold a signature. */
  beforeSignature: (made: SignedPackage) => Promise<void>;
  /** After each file. */
  report: (progress: { files: number; bytes: number }) => void;
}

/** The data to record of a package before its signature leaves. */
export interface SignedPackage {
  tagManifestSha256: string;
  signature: Buffer;
  files: number;
  bytes: number;
}

const FILE_MODE = 0o100644;

/** The zip's bytes; ends with an error if a file cannot be read, or if the signal aborts. */
export async function* writePackage(plan: PackagePlan, signal: AbortSignal): AsyncGenerator<Buffer> {
  const writer = new PackageWriter(plan);
  const stop = () => writer.output.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  const written = writer.run(signal).catch((error: unknown) => writer.output.destroy(error as Error));
  try {
    yield* writer.output as AsyncIterable<Buffer>;
    await written;
  } finally {
    signal.removeEventListener('abort', stop);
    writer.output.destroy();
  }
}

class PackageWriter {
  readonly output: Readable;
  readonly #zip = new ZipFile();
  readonly #plan: PackagePlan;
  readonly #payload: BagEntry[] = [];
  readonly #tags: BagEntry[] = [];
  #bytes = 0;

  constructor(plan: PackagePlan) {
    this.#plan = plan;
    this.output = this.#zip.outputStream as Readable;
    this.#zip.on('error', (error: Error) => this.output.destroy(error));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { key, payload, predicate, predicateType = FINDING_TYPE, createdAt, info } = this.#plan;
    await this.#addText(MEMBERS.declaration, BAGIT);
    await this.#addText(MEMBERS.instructions, toInstructions(key.fingerprint));
    for await (const member of payload) {
      signal.throwIfAborted();
      await this.#add(member, this.#payload);
      this.#plan.report({ files: this.#payload.length, bytes: this.#bytes });
    }
    const subject = this.#payload.map(({ path, sha256 }) => ({ name: path, digest: { sha256 } }));
    await this.#addText(MEMBERS.manifest, toManifest(this.#payload));
    const day = new Date(createdAt / MICROSECONDS_PER_MS).toISOString().slice(0, 10);
    const oxum = oxumOf(this.#payload);
    await this.#addText(
      MEMBERS.info,
      toBagInfo([['Bagging-Date', day], ['Payload-Oxum', oxum], ...info, ['Signing-Key', key.fingerprint]]),
    );
    await this.#addText(MEMBERS.publicKey, key.publicKeyPem);
    await this.#addText(MEMBERS.allowedSigners, toAllowedSigners(toSshPublicKey(key.rawPublicKey)));
    await this.#addText(MEMBERS.attestation, toEnvelope(key, { subject, predicateType, predicate }));
    await this.#sign();
    this.#zip.end();
  }

  async #sign(): Promise<void> {
    const { key, beforeSignature } = this.#plan;
    const tagManifest = Buffer.from(toManifest(this.#tags.filter(({ path }) => !isOutsideTagManifest(path))));
    const tagManifestSha256 = createHash('sha256').update(tagManifest).digest('hex');
    await this.#addText(MEMBERS.tagManifest, tagManifest);
    const signature = key.sign(tagManifest);
    await beforeSignature({ tagManifestSha256, signature, files: this.#payload.length, bytes: this.#bytes });
    await this.#addText(MEMBERS.signature, signature);
    await this.#addText(MEMBERS.sshSignature, toSshSignature(key, tagManifest));
  }

  async #addText(path: string, text: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(text);
    const isText = typeof text === 'string';
    await this.#add({ path, open: () => Readable.from([bytes]), isCompressible: isText }, this.#tags);
  }

  /** Resolves once the file has gone through, so that the next one is opened only then. */
  async #add({ path, open, isCompressible }: PayloadMember, entries: BagEntry[]): Promise<void> {
    const { folder, createdAt } = this.#plan;
    const hash = createHash('sha256');
    let sizeBytes = 0;
    const count = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    };
    const sink = new PassThrough();
    const options = {
      mtime: new Date(createdAt / MICROSECONDS_PER_MS),
      mode: FILE_MODE,
      compress: isCompressible,
    };
    this.#zip.addReadStream(sink, `${folder}/${path}`, options);
    const cut = () => sink.destroy();
    this.output.once('close', cut);
    try {
      await pipeline(open, count, sink);
    } finally {
      this.output.off('close', cut);
    }
    this.#bytes += sizeBytes;
    entries.push({ path, sha256: hash.digest('hex'), sizeBytes });
  }
}

/** Files that no list can name, as they sign the list or the list signs them. */
const NAMED_BY_NONE = `${MEMBERS.tagManifest} ${MEMBERS.signature} ${MEMBERS.sshSignature}`;
/** The patterns of find match a whole path, so that a line break in a name hides nothing. */
const ADDED_LATER = ['timestamp-[1-9].tsr', 'timestamp-[1-9][0-9].tsr', MEMBERS.tsaChain];

/**
 * VERIFY.txt: how a package is checked without Assay, with tools that every Linux and macOS has. Has the same text in every
 * package except for the fingerprint, so that it can be signed.
 */
function toInstructions(fingerprint: string): string {
  return `How to check this package without Assay
========================================

Run these in the folder that holds this file. Needed: sha256sum (coreutils), openssl 1.1.1 or newer,
ssh-keygen (OpenSSH 8.2 or newer). A step that holds says OK or nothing, another one names what is wrong.
Whoever forges a package can change this text too: in doubt, take it from a package that you trust. It
differs in the fingerprint only.

1. Everything that a package must have is there: no output.

      ls ${pathsInEveryPackage().join(' ')} > /dev/null

2. There are plain files only, no links and no empty folders: no output.

      find . \\( ! -type f ! -type d -o -type d -empty \\)

3. Every file is as it was packed.

      sha256sum -c ${MEMBERS.tagManifest} ${MEMBERS.manifest}

4. Nothing was added: no output means that this folder holds what the two lists name, what signs them,
   the timestamps of step 7, and no more.

      { cut -c67- ${MEMBERS.manifest} ${MEMBERS.tagManifest}; printf '%s\\n' ${NAMED_BY_NONE}; } | LC_ALL=C sort > /tmp/named; find . ! -type d ${ADDED_LATER.map((name) => `! -path './${name}'`).join(' ')} | cut -c3- | LC_ALL=C sort | diff /tmp/named -

5. The list of files is signed. Either of the two is enough; both are by the same key.

      openssl pkeyutl -verify -pubin -inkey ${MEMBERS.publicKey} -rawin -in ${MEMBERS.tagManifest} -sigfile ${MEMBERS.signature}

      ssh-keygen -Y verify -f ${MEMBERS.allowedSigners} -I ${SSH_PRINCIPAL} -n ${SSH_NAMESPACE} -s ${MEMBERS.sshSignature} < ${MEMBERS.tagManifest}

6. The key is the one of the box that made the package. A key inside a package proves nothing alone: compare
   its fingerprint with what the newsroom has published, or ask them by telephone.

      cut -d' ' -f3- ${MEMBERS.allowedSigners} > /tmp/assay.pub; ssh-keygen -l -f /tmp/assay.pub

   It must show: ${fingerprint}

7. If there are files timestamp-1.tsr, timestamp-2.tsr, ...: the signature is not younger than the time in them
   (RFC 3161). The first command shows the time; put it into the second one as seconds since 1970
   (date -d "Jul 30 12:00:00 2026 GMT" +%s), since the authority's certificate may have ended since.
   ${MEMBERS.tsaChain} holds the authority's root certificate. Compare it with the one that the authority
   publishes; if the file is not there, save that one under this name.

      openssl ts -reply -in timestamp-1.tsr -text

      openssl ts -verify -attime SECONDS -data ${MEMBERS.signature} -in timestamp-1.tsr -CAfile ${MEMBERS.tsaChain}

   No such files: the package was not timestamped, and its age rests on the word of the box alone.

With Assay all of this is one command: assay evidence verify PACKAGE.zip --fingerprint ${fingerprint}

What was found, by which means and how often these err, is in data/report.pdf and data/report.html.
`;
}
