/** A signed file of every format in which the reader knows manifests; of every other one it is said that none can be read. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatOf } from '../../../src/domain/media/formats.ts';
import {
  type ProvenanceRecord,
  toProvenanceRecord,
} from '../../../src/domain/provenance/provenance-record.ts';
import { type TrustMaterial, toMaterial } from '../../../src/domain/provenance/trust-list.ts';
import { DECODE_LIMITS } from '../../../src/engine/decode/decode-limits.ts';
import { readProvenanceOnly } from '../../../src/worker/read-provenance.ts';
import { makeIdentity } from '../../certificates.ts';
import { FORMATS } from '../../contract/formats.ts';
import { makeSigner, signMedia } from '../../signed-media.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { makeTrustList } from '../../trust-lists.ts';

const authority = makeIdentity({ name: 'Test authority' });
const signer = makeSigner(authority);
const trust: TrustMaterial = toMaterial([makeTrustList({ authorities: authority.cert })]);
let place: TemporaryFolder;
before(async () => {
  place = await makeTemporaryFolder();
  await mkdir(join(place.path, 'in'));
});
after(() => place[Symbol.asyncDispose]());

async function read(bytes: Buffer): Promise<ProvenanceRecord | null> {
  await writeFile(join(place.path, 'in', '0'), bytes);
  const request = { type: 'read-provenance', id: 1, input: '0', limits: DECODE_LIMITS, trust } as const;
  return toProvenanceRecord(await readProvenanceOnly(request, place.path));
}

const made = [...new Map(FORMATS.toReversed().map((format) => [format.mime, format])).values()].toReversed();
/** A TIFF by its first bytes, and by its signer's word a DNG. */
const dng = made
  .filter(({ mime }) => mime === 'image/tiff')
  .map((format) => ({ ...format, name: 'raw.dng', signedAs: 'image/x-adobe-dng' }));

for (const { name, mime, make, signedAs = formatOf(mime)?.c2pa } of [...made, ...dng] as ((typeof made)[0] & {
  signedAs?: string;
})[]) {
  test(`${name} (${mime}): ${signedAs === undefined ? 'said to be unreadable' : 'signed and read'}`, async () => {
    const source = await make();
    if (signedAs === undefined) {
      const unread = await read(source);
      assert.deepEqual([unread?.readings, unread?.isFormatUnreadable], [null, true]);
      assert.match(unread?.sentence?.en ?? '', /^Manifests are not readable in this format/);
      return;
    }
    const plain = await read(source);
    assert.deepEqual([plain?.sentence, plain?.isFormatUnreadable], [null, false]);
    // A bare codestream: there is no box for a manifest, and the library signs none.
    if (mime === 'image/jxl') return;
    const { file } = await signMedia({ source, mime: signedAs }, { signer });
    const record = await read(file);
    assert.deepEqual([record?.readings?.state, record?.source], ['trusted', 'embedded']);
  });
}
