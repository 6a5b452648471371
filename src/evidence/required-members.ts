/** The members that a package must have, and what each shows. Verification, docs/evidence.md and VERIFY.txt follow it. */
import { MEMBERS, RECORD_MEMBERS, RESCORE_MEMBER } from './members.ts';

/** `package`: every package has it. `finding`, `rescore`: packages of that kind. `record`: the folder of each record. */
export type MemberScope = 'package' | 'finding' | 'record' | 'rescore';

/** Statements of record.json about its neighbours. */
export interface DeclaredFiles {
  hasOriginal: boolean;
  hasResult: boolean;
  hasManifest: boolean;
}

export interface RequiredMember {
  scope: MemberScope;
  /** Below the package's folder, or below the record's. With a slash at its end: a folder with one file. */
  path: string;
  what: string;
  /** A clause that the report of a missing member quotes. */
  shows: string;
  /** The condition under which it may be absent; only for members of a record. */
  unless?: { says: string; holds: (declared: DeclaredFiles) => boolean };
}

export const REQUIRED_MEMBERS: readonly RequiredMember[] = [
  {
    scope: 'package',
    path: MEMBERS.declaration,
    what: 'the declaration of a BagIt bag',
    shows: 'in which format the lists are written',
  },
  {
    scope: 'package',
    path: MEMBERS.info,
    what: 'date, sender, `Payload-Oxum`, the rules version, the key',
    shows: 'when and on which box the package was made',
  },
  {
    scope: 'package',
    path: MEMBERS.manifest,
    what: 'SHA-256 of each file below `data/`',
    shows: 'which files were packed, byte for byte',
  },
  {
    scope: 'package',
    path: MEMBERS.tagManifest,
    what: 'SHA-256 of the other files: **these bytes are signed**',
    shows: 'what the signatures cover',
  },
  {
    scope: 'package',
    path: MEMBERS.instructions,
    what: 'the check without Assay as shell commands',
    shows: 'how anyone checks the package',
  },
  {
    scope: 'package',
    path: MEMBERS.publicKey,
    what: 'the public key in PEM, for `openssl`',
    shows: 'which key signed the package',
  },
  {
    scope: 'package',
    path: MEMBERS.allowedSigners,
    what: 'the same key for `ssh-keygen`',
    shows: 'which key ssh-keygen has to accept',
  },
  {
    scope: 'package',
    path: MEMBERS.attestation,
    what:
      'an in-toto Statement v1 in a DSSE envelope: the files as subjects, the findings with the packs’ bounds as predicate ' +
      '(`urn:assay:evidence:finding:v1`, `urn:assay:evidence:rescore:v1`)',
    shows: 'what the holder of the key stated about which files',
  },
  {
    scope: 'package',
    path: MEMBERS.signature,
    what: '64 bytes (RFC 8032) over `tagmanifest-sha256.txt`',
    shows: 'that the holder of the key made the package',
  },
  {
    scope: 'package',
    path: MEMBERS.sshSignature,
    what: 'the same by the same key as `ssh-keygen -Y verify` reads it, namespace `assay-evidence`',
    shows: 'the same to ssh-keygen',
  },
  {
    scope: 'package',
    path: MEMBERS.reportPdf,
    what: 'the report',
    shows: 'what a person was given to read',
  },
  {
    scope: 'package',
    path: MEMBERS.reportHtml,
    what: 'the report as HTML that loads nothing',
    shows: 'what a person was given to read',
  },
  {
    scope: 'finding',
    path: MEMBERS.case,
    what: 'title, notes, by whom, the folder of each record',
    shows: 'which records the package is about',
  },
  {
    scope: 'finding',
    path: MEMBERS.models,
    what: 'the models with their SHA-256, licences and figures',
    shows: 'which models answered and how often they are wrong',
  },
  {
    scope: 'record',
    path: RECORD_MEMBERS.record,
    what:
      'the record in the fields of GraphQL, with `original` and `findingsByPeople` (each with its `signOff`, null if none ' +
      'was asked for)',
    shows: 'what was found',
  },
  {
    scope: 'record',
    path: RECORD_MEMBERS.original,
    what: 'the file as it was submitted, under a safe name; the given one is in the record',
    shows: 'which file the record is about',
    unless: { says: 'the box did not keep it', holds: ({ hasOriginal }) => !hasOriginal },
  },
  {
    scope: 'record',
    path: RECORD_MEMBERS.manifest,
    what: 'the C2PA manifest that came beside the file, or from the address that it names',
    shows: 'on which manifest the provenance rests',
    unless: {
      says: 'the manifest lies in the file, there is none, or the box did not keep it',
      holds: ({ hasManifest }) => !hasManifest,
    },
  },
  {
    scope: 'record',
    path: RECORD_MEMBERS.figures,
    what: 'what was measured and how the account read it: from this a later version reads it anew',
    shows: 'on which figures the finding rests',
    unless: { says: 'the analysis ended without a result', holds: ({ hasResult }) => !hasResult },
  },
  {
    scope: 'record',
    path: RECORD_MEMBERS.custody,
    what:
      'one custody entry a line: `line` as it is chained (it holds the SHA-256 of the line before it in the log), ' +
      '`detailsJson` and `salt` that it commits to',
    shows: 'who handed the file in and what happened to it',
  },
  {
    scope: 'record',
    path: RECORD_MEMBERS.checkpoint,
    what: 'the signed head of the log (C2SP checkpoint)',
    shows: 'which state of the custody log the entries belong to',
  },
  {
    scope: 'record',
    path: RECORD_MEMBERS.proof,
    what: 'for each entry the path to the signed head (RFC 9162, base64), and the proofs from earlier heads',
    shows: 'that the entries lie under the signed head',
  },
  {
    scope: 'rescore',
    path: RESCORE_MEMBER,
    what: 'each record that was read anew, before and after',
    shows: 'what would change',
  },
];

export function missingFault({ shows }: Pick<RequiredMember, 'shows'>): string {
  return `is missing: a package must have it, it shows ${shows}`;
}

/** The paths that every package has, in the order of the table. */
export function pathsInEveryPackage(): string[] {
  return REQUIRED_MEMBERS.filter(({ scope }) => scope === 'package').map(({ path }) => path);
}
