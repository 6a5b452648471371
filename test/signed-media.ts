/** Pictures signed by the test's own authority, byte by byte, so that they can be what no honest signer makes. */
import { sign as signBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Builder,
  CallbackCredentialHolder,
  CallbackSigner,
  IdentityAssertionBuilder,
  IdentityAssertionSigner,
} from '@contentauth/c2pa-node';
import { encode, Tagged } from 'cborg';
import { type Identity, makeIdentity } from './certificates.ts';
import { patternImage } from './media/pictures.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const SIGNATURE_BYTES = 12_000;
/** What an identity assertion has beside its signature. */
const IDENTITY_BYTES = 1000;
const SETTINGS = JSON.stringify({
  verify: { verify_after_sign: false, remote_manifest_fetch: false, verify_trust: false },
  builder: { thumbnail: { enabled: false } },
});

export interface Signing {
  /** Leaf first; the last one is not the root. */
  signer: Identity;
  chain?: readonly Identity[];
  /** Instead of the signer's own. */
  key?: Identity;
  /** RFC 3161 token of what is asked for, as the authority replies. */
  stamp?: (bytes: Buffer) => Promise<Buffer>;
  /** OCSP response, DER. */
  stapled?: Buffer;
}

export interface ToSign {
  definition?: object;
  mime?: string;
  source?: Buffer;
  /** Files that went into it. */
  ingredients?: { definition: object; file: Buffer; mime: string }[];
  change?: (builder: Builder) => void;
  /** Who signs an identity assertion (CAWG) over the binding. */
  identity?: Signing;
}

export const GENERATED = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
export const CAPTURED = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture';

export function definitionOf(sourceType: string, changes: object = {}): object {
  return {
    claim_generator_info: [{ name: 'test camera', version: '1.0.0' }],
    title: 'picture',
    assertions: [
      {
        label: 'c2pa.actions.v2',
        data: { actions: [{ action: 'c2pa.created', digitalSourceType: sourceType }] },
      },
    ],
    ...changes,
  };
}

export function makeSigner(authority: Identity, name = 'Test camera'): Identity {
  return makeIdentity({ name, issuer: authority, signsMedia: true });
}

let unsigned: Promise<Buffer> | undefined;
export const plainPicture = (): Promise<Buffer> => {
  unsigned ??= patternImage(320, 240).jpeg().toBuffer();
  return unsigned;
};

/** The signed file, and its manifest store. */
export async function signMedia(
  {
    definition = definitionOf(CAPTURED),
    mime = 'image/jpeg',
    source,
    ingredients = [],
    change,
    identity,
  }: ToSign,
  signing: Signing,
): Promise<{ file: Buffer; manifest: Buffer }> {
  await using folder = await makeTemporaryFolder();
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')];
  await writeFile(from, source ?? (await plainPicture()));
  const builder = Builder.withJson(definition as never, SETTINGS);
  for (const [index, { definition: json, file, mime: type }] of ingredients.entries()) {
    const path = join(folder.path, `ingredient-${index}`);
    await writeFile(path, file);
    await builder.addIngredient(JSON.stringify(json), { path, mimeType: type });
  }
  change?.(builder);
  const input = { path: from, mimeType: mime };
  const output = { path: to, mimeType: mime };
  const config = {
    ...{ alg: 'es256' as const, certs: [derOf(signing.signer)] },
    ...{ reserveSize: SIGNATURE_BYTES, directCoseHandling: true },
  };
  const manifest =
    identity === undefined
      ? await builder.signConfigAsync((claim) => makeCose(claim, signing), config, input, output)
      : await builder.signAsync(await signWithIdentity(signing, identity), input, output);
  return { file: await readFile(to), manifest };
}

/** An identity assertion over the binding (CAWG 1.2, 8.2). The library signs such a claim itself: no stamps, no other keys. */
async function signWithIdentity(
  { signer, chain = [] }: Signing,
  identity: Signing,
): Promise<IdentityAssertionSigner> {
  const config = {
    ...{ alg: 'es256' as const, certs: [signer, ...chain].map(({ cert }) => Buffer.from(cert)) },
    ...{ reserveSize: SIGNATURE_BYTES, directCoseHandling: false },
  };
  const ofClaim = CallbackSigner.newSigner(config, async (bytes) =>
    signBytes('sha256', bytes, { key: signer.privateKey, dsaEncoding: 'ieee-p1363' }),
  );
  const holder = CallbackCredentialHolder.newCallbackCredentialHolder(
    SIGNATURE_BYTES + IDENTITY_BYTES,
    'cawg.x509.cose',
    // Signed in CBOR as the reader encodes it anew: its keys in the order of its structure.
    async (payload) => makeCose(Buffer.from(encode(payload, { mapSorter: () => 0 })), identity),
  );
  const assertion = await IdentityAssertionBuilder.identityBuilderForCredentialHolder(holder);
  assertion.addReferencedAssertions(['c2pa.hash.data']);
  const both = IdentityAssertionSigner.new(ofClaim.getHandle());
  both.addIdentityAssertion(assertion);
  return both;
}

/** RFC 9052, section 4.4; the certificates in the protected header, as C2PA 2 wants them. */
async function makeCose(
  claim: Buffer,
  { signer, chain = [], key, stamp, stapled }: Signing,
): Promise<Buffer> {
  const certificates = [signer, ...chain].map(derOf);
  const head = encode(
    new Map<number, unknown>([
      [1, -7],
      [33, certificates],
    ]),
  );
  const toSign = encode(['Signature1', head, new Uint8Array(0), new Uint8Array(claim)]);
  const { privateKey } = key ?? signer;
  const signature = signBytes('sha256', toSign, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const open = new Map<string, unknown>();
  if (stamp !== undefined) {
    // Version 2: a countersignature of the signature, as a byte string of CBOR.
    const payload = encode(new Uint8Array(signature));
    const token = await stamp(Buffer.from(encode(['CounterSignature', head, new Uint8Array(0), payload])));
    open.set('sigTst2', new Map([['tstTokens', [new Map([['val', new Uint8Array(token)]])]]]));
  }
  if (stapled !== undefined) open.set('rVals', new Map([['ocspVals', [new Uint8Array(stapled)]]]));
  const build = (pad: number): Uint8Array =>
    encode(
      new Tagged(18, [
        head,
        new Map([...open, ['pad', new Uint8Array(pad)]]),
        null,
        new Uint8Array(signature),
      ]),
    );
  // The head of a byte string grows with its length: tried until it fits.
  for (let pad = SIGNATURE_BYTES - build(0).length; pad > 0; pad -= 1) {
    const cose = build(pad);
    if (cose.length === SIGNATURE_BYTES) return Buffer.from(cose);
  }
  throw new Error('the signature does not fit');
}

export function derOf({ cert }: Pick<Identity, 'cert'>): Buffer {
  return Buffer.from(cert.replace(/-----[^-]+-----/g, ''), 'base64');
}
