/** TLS for the gRPC listener from files that may change: new connections get the certificate of the day. */
import type { SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { TLS_VERSION_MIN, type TlsFiles, type TlsMaterial } from '../../machinery/tls.ts';

export class TlsCredentials extends ServerCredentials {
  constructor(files: TlsFiles) {
    const { material } = files;
    // A certificate is asked for only where its issuers are known, and then one that they did not sign is refused.
    const isAsked = material.clientCa !== null;
    super({ requestCert: isAsked, rejectUnauthorized: isAsked }, toContext(material));
    files.onChange((changed) => this.updateSecureContextOptions(toContext(changed)));
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

function toContext({ cert, key, clientCa }: TlsMaterial): SecureContextOptions {
  return { cert, key, minVersion: TLS_VERSION_MIN, ...(clientCa === null ? {} : { ca: clientCa }) };
}
