/** An OCSP response of the test's own authority, by `openssl ocsp`: what a signer staples to its signature. */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from './certificates.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

/** `revokedAt`: null for a good one. `responder` was issued by the authority for answering. */
export async function makeOcspAnswer(
  { authority, responder }: { authority: Identity; responder: Identity },
  subject: Identity,
  revokedAt: Date | null,
): Promise<Buffer> {
  await using folder = await makeTemporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const { serialNumber, validToDate } = new X509Certificate(subject.cert);
  const revoked = revokedAt === null ? '' : `${toUtcTime(revokedAt)},keyCompromise`;
  const row = [
    revokedAt === null ? 'V' : 'R',
    toUtcTime(validToDate),
    revoked,
    serialNumber,
    'unknown',
    '/CN=x',
  ];
  await writeFile(at('index'), `${row.join('\t')}\n`);
  const files = {
    authority: authority.cert,
    responder: responder.cert,
    key: responder.key,
    subject: subject.cert,
  };
  for (const [name, pem] of Object.entries(files)) await writeFile(at(`${name}.pem`), pem);
  await run('openssl', [
    ...['ocsp', '-index', at('index'), '-CA', at('authority.pem'), '-rsigner', at('responder.pem')],
    ...['-rkey', at('key.pem'), '-issuer', at('authority.pem'), '-cert', at('subject.pem')],
    ...['-respout', at('answer'), '-ndays', '7', '-noverify', '-no_nonce'],
  ]);
  return await readFile(at('answer'));
}

function toUtcTime(date: Date): string {
  return `${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`;
}
