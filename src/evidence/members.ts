/** What lies where in an evidence package: a BagIt bag (RFC 8493) in a zip file, under one folder of its own. */

export const MEMBERS = {
  declaration: 'bagit.txt',
  info: 'bag-info.txt',
  manifest: 'manifest-sha256.txt',
  tagManifest: 'tagmanifest-sha256.txt',
  instructions: 'VERIFY.txt',
  publicKey: 'keys/assay.pub.pem',
  allowedSigners: 'keys/allowed_signers',
  attestation: 'attestation.dsse.json',
  signature: 'signature.ed25519',
  sshSignature: 'signature.sshsig',
  tsaChain: 'tsa-chain.pem',
  case: 'data/case.json',
  reportPdf: 'data/report.pdf',
  reportHtml: 'data/report.html',
  models: 'data/models.json',
  cards: 'data/cards/',
} as const;

/** `timestamp-1.tsr`, one per authority. */
export const TIMESTAMP_PATTERN = /^timestamp-(\d{1,3})\.tsr$/;

/**
 * What the tag manifest, which is signed, cannot name: itself, its signatures, and the tokens that are added later. Each of them
 * is judged by what it says of the tag manifest or of its signature.
 */
export function isOutsideTagManifest(path: string): boolean {
  const outside: readonly string[] = [
    ...[MEMBERS.tagManifest, MEMBERS.signature],
    ...[MEMBERS.sshSignature, MEMBERS.tsaChain],
  ];
  return outside.includes(path) || TIMESTAMP_PATTERN.test(path);
}

/** Of one record: alone in its package, or one of a case. */
export function recordFolder(index: number, count: number, identifier: string): string {
  if (count === 1) return 'data/';
  return `data/records/${String(index + 1).padStart(3, '0')}-${identifier.slice(0, 12)}/`;
}

const FILE_NAME_CHARACTERS_MAX = 120;

/** A name that every file system and `sha256sum -c` take as it is; the record holds the name that was given. */
export function safeFileName(given: string): string {
  const last = given.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .replace(/[^\p{L}\p{N}._-]/gu, '_')
    .replace(/^[.-]+/, '')
    .replace(/\.+$/, '');
  const dot = plain.lastIndexOf('.');
  const ending = dot > 0 && plain.length - dot <= 10 ? plain.slice(dot) : '';
  const stem = plain.slice(0, plain.length - ending.length).slice(0, FILE_NAME_CHARACTERS_MAX);
  return `${stem === '' ? 'file' : stem}${ending}`;
}
