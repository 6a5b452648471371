/** A real film with a real C2PA signature, made here by a certificate made here: read, trusted, and found out when changed. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Builder, LocalSigner } from '@contentauth/c2pa-node';
import { FF_ENCODER_LIBX264 } from 'node-av/constants';
import { forcesArtificial } from '../../../src/domain/provenance/provenance.ts';
import { NO_TRUST, toMaterial } from '../../../src/domain/provenance/trust-list.ts';
import { readProvenance } from '../../../src/worker/steps/provenance.ts';
import { type Identity, makeIdentity } from '../../certificates.ts';
import { makeVideo } from '../../media/make-media.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { makeTrustList } from '../../trust-lists.ts';

const MIME = 'video/mp4';
const GENERATED = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

let authority: Identity;
let signed: Buffer;

async function sign(folder: string, film: Buffer): Promise<Buffer> {
  authority = makeIdentity({ name: 'Test authority' });
  const { cert, key } = makeIdentity({ name: 'Test camera', issuer: authority, signsMedia: true });
  const signer = LocalSigner.newSigner(Buffer.from(cert + authority.cert), Buffer.from(key), 'es256');
  const builder = Builder.withJson({
    claim_generator_info: [{ name: 'test', version: '1.0.0' }],
    title: 'film.mp4',
    format: MIME,
    assertions: [
      {
        label: 'c2pa.actions',
        data: { actions: [{ action: 'c2pa.created', digitalSourceType: GENERATED }] },
      },
    ],
  });
  const [from, to] = [join(folder, 'film.mp4'), join(folder, 'signed.mp4')];
  await writeFile(from, film);
  builder.sign(signer, { path: from, mimeType: MIME }, { path: to });
  return await readFile(to);
}

before(async () => {
  await using folder = await makeTemporaryFolder();
  const size = { seconds: 2, width: 320, height: 240, fps: 10 };
  signed = await sign(folder.path, makeVideo({ container: 'mp4', codec: FF_ENCODER_LIBX264, ...size }));
});

/** Reads a file as a slot has it: under a name that says nothing. */
async function read(bytes: Buffer, trustAnchorsPem = '') {
  const trust =
    trustAnchorsPem === '' ? NO_TRUST : toMaterial([makeTrustList({ authorities: trustAnchorsPem })]);
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, '0');
  await writeFile(path, bytes);
  return await readProvenance({ path, mime: MIME, trust });
}

test('a signed film is valid, declares its origin, and forces', async () => {
  const provenance = await read(signed);
  equal(provenance.fault, null);
  equal(provenance.c2pa?.validation_state, 'Valid');
  equal(provenance.declaredOrigin, 'generated');
  ok(forcesArtificial(provenance, 'any', false));
  ok(forcesArtificial(provenance, 'generative', false));
  ok(!forcesArtificial(provenance, 'any', true), 'not where the caller does not want it');
});

test('a signed film is trusted if the operator trusts the issuer of its certificate', async () => {
  equal((await read(signed, authority.cert)).c2pa?.validation_state, 'Trusted');
  const other = makeIdentity({ name: 'Another authority' });
  equal((await read(signed, other.cert)).c2pa?.validation_state, 'Valid');
});

test('a film whose pictures were changed after the signature is found out', async () => {
  const changed = Buffer.from(signed);
  const pictures = changed.indexOf('mdat') + 4096;
  changed[pictures] = (changed[pictures] ?? 0) ^ 0xff;
  const { c2pa } = await read(changed);
  equal(c2pa?.validation_state, 'Invalid');
  const codes = (c2pa?.validation_status ?? []).map(({ code }) => code);
  deepEqual(
    codes.filter((code) => code.startsWith('assertion.bmffHash')),
    ['assertion.bmffHash.mismatch'],
  );
});
