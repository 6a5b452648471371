/** `/.well-known/assay-evidence-keys.json`: the keys that sign evidence (RFC 7517, RFC 8037), without an account. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { App } from '../app/appliance/app.ts';
import { MICROSECONDS_PER_MS } from '../domain/time.ts';
import { type PublishedKey, toSshPublicKey } from '../machinery/signing-key.ts';

const PATH = '/.well-known/assay-evidence-keys.json';

export function routeEvidenceKeys(fastify: FastifyInstance, app: App): void {
  fastify.get(PATH, (_request, reply) =>
    reply
      .type('application/jwk-set+json')
      .headers({
        'cache-control': 'no-cache',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      })
      .send(JSON.stringify({ keys: app.signingKeys.published().map(toJwk) })),
  );
}

function toJwk({ fingerprint, publicKeyPem, rawPublicKey, createdAt, retiredAt }: PublishedKey): object {
  const x = rawPublicKey.toString('base64url');
  // RFC 7638: the members that make the key, in the order of the alphabet.
  const thumbprint = createHash('sha256')
    .update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
    .digest('base64url');
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    use: 'sig',
    alg: 'EdDSA',
    kid: thumbprint,
    fingerprint,
    public_key_pem: publicKeyPem,
    ssh_public_key: toSshPublicKey(rawPublicKey),
    created_at: toIso(createdAt),
    retired_at: retiredAt === null ? null : toIso(retiredAt),
  };
}

const toIso = (microseconds: number): string => new Date(microseconds / MICROSECONDS_PER_MS).toISOString();
