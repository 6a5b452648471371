/** VERIFY.txt: how a package is checked by whoever has no Assay, with tools that every Linux and macOS has. */
import { MEMBERS } from './members.ts';
import { SSH_NAMESPACE, SSH_PRINCIPAL } from './ssh-signature.ts';

/** The same for every package but for the fingerprint, so that it can be part of what is signed. */
export function toInstructions(fingerprint: string): string {
  return `How to check this package without Assay
========================================

Run these in the folder that holds this file. Needed: sha256sum (coreutils), openssl 1.1.1 or newer,
ssh-keygen (OpenSSH 8.2 or newer). Each step says OK, or names what is wrong.

1. Every file is as it was packed.

   sha256sum -c ${MEMBERS.tagManifest} ${MEMBERS.manifest}

2. Nothing was added: no output means that the folder "data" holds what the manifest names, and no more.

   cut -c67- ${MEMBERS.manifest} | LC_ALL=C sort > /tmp/named; find data -type f | LC_ALL=C sort | diff /tmp/named -

3. The list of files is signed. Either of the two is enough; both are by the same key.

   openssl pkeyutl -verify -pubin -inkey ${MEMBERS.publicKey} -rawin -in ${MEMBERS.tagManifest} -sigfile ${MEMBERS.signature}

   ssh-keygen -Y verify -f ${MEMBERS.allowedSigners} -I ${SSH_PRINCIPAL} -n ${SSH_NAMESPACE} -s ${MEMBERS.sshSignature} < ${MEMBERS.tagManifest}

4. The key is the one of the box that made the package. A key inside a package proves nothing alone: compare
   its fingerprint with what the newsroom has published, or ask them by telephone.

   cut -d' ' -f3- ${MEMBERS.allowedSigners} > /tmp/assay.pub; ssh-keygen -l -f /tmp/assay.pub

   It must show: ${fingerprint}

5. If there are files timestamp-1.tsr, timestamp-2.tsr, ...: the signature is not younger than the time in them
   (RFC 3161). The first command shows the time; put it into the second one as seconds since 1970
   (date -d "Jul 30 12:00:00 2026 GMT" +%s), since the authority's certificate may have ended since.
   ${MEMBERS.tsaChain} holds the authority's root certificate. Compare it with the one that the authority
   publishes; where the file is not there, save that one under this name.

   openssl ts -reply -in timestamp-1.tsr -text

   openssl ts -verify -attime SECONDS -data ${MEMBERS.signature} -in timestamp-1.tsr -CAfile ${MEMBERS.tsaChain}

   No such files: the package was not timestamped, and its age rests on the word of the box alone.

With Assay all of this is one command: assay evidence verify PACKAGE.zip --fingerprint ${fingerprint}

What was found, by which means and how often these err, is in data/report.pdf and data/report.html.
`;
}
