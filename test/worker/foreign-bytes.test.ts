/** Metadata in any bytes at all: what reads them ends, throws nothing, and finds no more than it looks for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readExifTexts } from '../../src/worker/metadata/exif-texts.ts';
import { decodeXmp, readXmpTexts } from '../../src/worker/metadata/xmp-texts.ts';
import { readSignatures } from '../../src/worker/provenance/signature-box.ts';
import { readTimeStamp } from '../../src/worker/provenance/time-stamp-token.ts';

const bytes = fc.uint8Array({ maxLength: 400 }).map((value) => Buffer.from(value));

/** A box as the readers know it, with a length that is right or any. */
function box(type: string, body: Buffer, length = body.length + 8): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(length >>> 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

const boxes = fc.letrec<{ any: Buffer }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.tuple(fc.constantFrom('jumd', 'cbor', 'json'), bytes).map(([type, body]) => box(type, body)),
    fc.tuple(bytes, fc.nat()).map(([body, length]) => box('jumb', body, length)),
    fc.array(tie('any'), { maxLength: 4 }).map((inner) => box('jumb', Buffer.concat(inner))),
    fc.array(tie('any'), { maxLength: 4 }).map((inner) => {
      const label = Buffer.concat([Buffer.alloc(17), Buffer.from('c2pa.signature\0')]);
      return box('jumb', Buffer.concat([box('jumd', label), ...inner]));
    }),
  ),
})).any;

test('signatures of a damaged store have at most ten certificates each', () => {
  fc.assert(
    fc.property(fc.oneof(boxes, bytes), (store) => {
      for (const { certificates, identities } of readSignatures(store))
        for (const chain of [certificates, ...identities]) assert.ok(chain.length <= 10);
    }),
  );
});

test('bytes that are no time stamp give none', () => {
  fc.assert(fc.property(bytes, (value) => readTimeStamp(value) === null));
  const sequences = bytes.map((value) => Buffer.concat([Buffer.from([0x30, value.length & 0x7f]), value]));
  fc.assert(fc.property(sequences, (value) => readTimeStamp(value) === null));
});

test('texts of a damaged XMP packet are bounded, and stand in it', () => {
  const pieces = [
    '<x:Credit>',
    '</x:Credit>',
    '<rdf:li>',
    '</rdf:li>',
    '<a:CreatorTool/>',
    ' x:Software="a"',
    'text',
  ];
  const packets = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 200 });
  fc.assert(
    fc.property(packets, (parts) => {
      const packet = parts.join('');
      const texts = readXmpTexts(decodeXmp(Buffer.from(packet)));
      assert.ok(texts.length <= 64 + 64 * 64);
      for (const { text } of texts) assert.ok(/[&]/.test(packet) || packet.includes(text), text);
    }),
  );
  fc.assert(fc.property(bytes, (packet) => readXmpTexts(decodeXmp(packet)).length <= packet.length));
});

test('EXIF in any bytes gives texts by their fields', () => {
  const heads = ['Exif\0\0II*\0', 'II*\0\b\0\0\0', 'MM\0*', '\xff\xd8\xff\xe1'].map((head) =>
    Buffer.from(head, 'latin1'),
  );
  const files = fc.tuple(fc.constantFrom(...heads), bytes).map((parts) => Buffer.concat(parts));
  fc.assert(
    fc.property(files, (file) => {
      for (const [field, text] of readExifTexts(file).texts)
        assert.ok(/^(EXIF|IPTC) /.test(field) && text.trim() !== '');
    }),
  );
});
