/** The layout of an evidence package: a BagIt bag (RFC 8493) in a zip file, under one folder. */

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

/** Below the folder of a record. */
export const RECORD_MEMBERS = {
  record: 'record.json',
  original: 'original/',
  manifest: 'manifest/',
  figures: 'figures.json',
  custody: 'custody.jsonl',
  checkpoint: 'log/checkpoint.txt',
  proof: 'log/proof.json',
} as const;

/** The folder of a record: `data/` for one alone, a folder below `data/records/` in a case. */
const RECORD_FOLDER = /^(data\/(?:records\/[^/]+\/)?)(.+)$/;

/** The folder of the record with this record.json, with a slash; null for any other member. */
export function folderOfRecord(member: string): string | null {
  const [, folder = '', name = ''] = RECORD_FOLDER.exec(member) ?? [];
  return name === RECORD_MEMBERS.record ? folder : null;
}

/** The member that a re-score has instead of records. */
export const RESCORE_MEMBER = 'data/rescore.json';

/** `timestamp-1.tsr`, one per authority; VERIFY.txt knows the same names. */
export const TIMESTAMP_PATTERN = /^timestamp-([1-9]\d?)\.tsr$/;

/** Files that the signed tag manifest cannot name: itself, its signatures, and tokens that are added later. */
export function isOutsideTagManifest(path: string): boolean {
  const outside: readonly string[] = [
    ...[MEMBERS.tagManifest, MEMBERS.signature],
    ...[MEMBERS.sshSignature, MEMBERS.tsaChain],
  ];
  return outside.includes(path) || TIMESTAMP_PATTERN.test(path);
}

/** Files whose content is read: all outside `data/`, and what Assay writes for programs. Originals are only hashed. */
export function isLookedInto(path: string): boolean {
  if (!path.startsWith('data/')) return true;
  const [, , name = ''] = RECORD_FOLDER.exec(path) ?? [];
  const { record, figures, custody, checkpoint, proof } = RECORD_MEMBERS;
  return path === MEMBERS.case || [record, figures, custody, checkpoint, proof].some((it) => it === name);
}

/** Folder of one record: alone in its package, or one of a case. */
export function recordFolder(index: number, count: number, identifier: string): string {
  if (count === 1) return 'data/';
  return `data/records/${String(index + 1).padStart(3, '0')}-${identifier.slice(0, 12)}/`;
}

const FILE_NAME_CHARACTERS_MAX = 120;

/** A name that every file system and `sha256sum -c` accept; the record holds the original name. */
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
