/** VERIFY.txt: how a package is checked without Assay, with tools that every Linux and macOS has. */
import { MEMBERS } from './members.ts';
import { pathsInEveryPackage } from './required-members.ts';
import { SSH_NAMESPACE, SSH_PRINCIPAL } from './ssh-signature.ts';

/** Files that no list can name, as they sign the list or the list signs them. */
const NAMED_BY_NONE = `${MEMBERS.tagManifest} ${MEMBERS.signature} ${MEMBERS.sshSignature}`;
/** The patterns of find match a whole path, so that a line break in a name hides nothing. */
const ADDED_LATER = ['timestamp-[1-9].tsr', 'timestamp-[1-9][0-9].tsr', MEMBERS.tsaChain];

/** Has the same text in every package except for the fingerprint, so that it can be signed. */
export function toInstructions(fingerprint: string): string {
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
