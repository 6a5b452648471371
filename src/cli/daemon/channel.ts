/** Where the daemon is and how to reach it: clear text on the box itself, TLS if the environment says so. */
import { readFile } from 'node:fs/promises';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { findAddress } from './api-key.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Channel {
  /** `host:port`. */
  address: string;
  credentials: ChannelCredentials;
}

const TLS_PREFIX = 'https://';

/** TLS if ASSAY_ADDRESS begins with https:// or ASSAY_CA_FILE is set; a client certificate if ASSAY_CLIENT_CERT_FILE is. */
export async function findChannel(env: Environment): Promise<Channel> {
  const wanted = findAddress(env);
  const address = wanted.startsWith(TLS_PREFIX) ? wanted.slice(TLS_PREFIX.length).replace(/\/$/, '') : wanted;
  const { ASSAY_CA_FILE: caFile, ASSAY_CLIENT_CERT_FILE: certFile, ASSAY_CLIENT_KEY_FILE: keyFile } = env;
  if (address === wanted && !caFile) return { address, credentials: credentials.createInsecure() };
  const ca = await readPem('ASSAY_CA_FILE', caFile);
  const key = await readPem('ASSAY_CLIENT_KEY_FILE', keyFile);
  const cert = await readPem('ASSAY_CLIENT_CERT_FILE', certFile);
  if ((key === null) !== (cert === null)) {
    throw new CliFailure(
      'ASSAY_CLIENT_CERT_FILE and ASSAY_CLIENT_KEY_FILE: expected both, found one',
      EXIT_CODES.usage,
    );
  }
  return { address, credentials: credentials.createSsl(ca, key, cert) };
}

async function readPem(variable: string, path: string | undefined): Promise<Buffer | null> {
  if (!path) return null;
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliFailure(
      `${variable}: expected a readable PEM file, found ${path}: ${code}`,
      EXIT_CODES.usage,
      {
        cause: error,
      },
    );
  }
}
