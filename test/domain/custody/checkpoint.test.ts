/** Checkpoints as the C2SP signed-note format has them, against its own published example and by every flipped byte. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import {
  isSignedBy,
  keyIdOf,
  parseCheckpoint,
  signCheckpoint,
} from '../../../src/domain/custody/checkpoint.ts';
import { leafHashOf } from '../../../src/domain/custody/merkle-tree.ts';

const rawOf = (key: ReturnType<typeof generateKeyPairSync>['publicKey']): Buffer =>
  Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const checkpoint = { origin: 'assay/custody/0011', size: 71, root: leafHashOf('some entry') };
const note = signCheckpoint(checkpoint, {
  rawPublicKey: rawOf(publicKey),
  sign: (bytes) => sign(null, bytes, privateKey),
});

test('the id of a key is that of the published example', () => {
  // The verifier key of Go's module checksum database: name, id, and the key with its algorithm in front.
  const [name, id] = ['sum.golang.org', '033de0ae'];
  const key = Buffer.from('Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8', 'base64').subarray(1);
  assert.equal(keyIdOf(name, key).toString('hex'), id);
});

test('a checkpoint reads back as it was signed, and by that key alone', () => {
  const read = parseCheckpoint(note);
  assert.ok(read);
  const { origin, size, root } = read;
  assert.deepEqual({ origin, size, root }, checkpoint);
  assert.equal(note.split('\n')[3], '');
  assert.ok(isSignedBy(read, rawOf(publicKey)));
  assert.ok(!isSignedBy(read, rawOf(generateKeyPairSync('ed25519').publicKey)));
});

test('no byte of it can be changed', () => {
  const bytes = Buffer.from(note);
  for (let place = 0; place < bytes.length - 1; place += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
    const read = parseCheckpoint(changed.toString());
    assert.ok(read === undefined || !isSignedBy(read, rawOf(publicKey)), `byte ${place}`);
  }
});
