import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMoment, toPlace } from '../../../src/domain/provenance/fact-values.ts';
import { findFacts } from '../../../src/domain/provenance/file-facts.ts';
import { NO_PROVENANCE, type Provenance } from '../../../src/domain/provenance/provenance.ts';
import { fileFactsOf } from '../../../src/domain/provenance/shown-facts.ts';
import { codeFact, makeManifest, makeStore } from './made-store.ts';

const MOMENTS: [written: string, read: string][] = [
  ['2026:05:01 12:00:30', '2026-05-01 12:00:30'],
  ['2026-05-01T12:00:30.25+02:00', '2026-05-01 12:00:30+02:00'],
  ['2026-05-01T12:00:30,78-0500', '2026-05-01 12:00:30-05:00'],
  ['2026-05-01T12:00Z', '2026-05-01 12:00:00+00:00'],
  ['2026-05-01', '2026-05-01'],
  ['0000:00:00 00:00:00', ''],
  ['1904-01-01T00:00:00.000000Z', ''],
  ['2026:13:41 99:00:00', ''],
  ['yesterday', ''],
];

test('a time is read in every way in which files write it, and what is none is left out', () => {
  for (const [written, read] of MOMENTS) assert.equal(toMoment(written), read, written);
});

const PLACES: [written: string, read: string][] = [
  ['42.943358 -122.1716', '42.94336, -122.17160'],
  ['42,56.6015N 122,10.296W', '42.94336, -122.17160'],
  ['33,51,31S 151,12,51E', '-33.85861, 151.21417'],
  ['+45.4384+012.3327+003.000/', '45.43840, 12.33270'],
  ['0 0', ''],
  ['91 10', ''],
  [' ', ''],
  ['north', ''],
];

test('a place is read in every way in which files write it, and what is none is left out', () => {
  for (const [written, read] of PLACES) assert.equal(toPlace(written), read, written);
});

function file(texts: Readonly<Record<string, string>>, provenance: Partial<Provenance> = {}) {
  const facts = findFacts(Object.entries(texts).map(([field, text]) => ({ field, text })));
  const shown = fileFactsOf({ ...NO_PROVENANCE, fileFacts: { facts, thumbnailBits: null }, ...provenance });
  assert.ok(shown !== null);
  return shown;
}

function report(data: object, label = 'stds.exif'): Provenance['c2pa'] {
  const none = { failure: [], success: [], informational: [] };
  return {
    manifests: { active: { assertions: [{ label, data }] } },
    ...{ active_manifest: 'active', validation_state: 'Trusted', validation_status: [] },
    validation_results: { activeManifest: none, ingredientDeltas: [] },
  };
}

test('equal fields are one fact, and a make is not stated twice', () => {
  const { facts } = file({
    'EXIF Make': 'Canon',
    'EXIF Model': 'Canon EOS R5',
    'EXIF Software': 'Lightroom',
    'XMP CreatorTool': 'Lightroom',
    'IPTC City': 'Venezia',
    'IPTC Country/Primary Location Name': 'Italia',
    'EXIF Artist': 'line\u001b[31m one\ntwo',
  });
  assert.deepEqual(
    facts.map(({ kind, value }) => [kind, value]),
    [
      ['place_name', 'Venezia, Italia'],
      ['camera', 'Canon EOS R5'],
      ['software', 'Lightroom'],
      ['author', 'line [31m one two'],
    ],
  );
  assert.equal(facts[2]?.field, 'EXIF Software; XMP CreatorTool');
});

test('facts in the signed manifest are marked, also those that only it holds; a broken one signs nothing', () => {
  const texts = { 'EXIF Make': 'Google', 'EXIF Model': 'Pixel 5', 'EXIF Artist': 'A. Stranger' };
  const c2pa = report({
    ...{ 'EXIF:Make': 'Google', 'EXIF:Model': 'Pixel 5' },
    ...{ 'EXIF:GPSLatitude': '43.1520939', 'EXIF:GPSLongitude': '-77.5805328' },
  });
  const signedOf = (store: Provenance['store']) =>
    file(texts, { c2pa, ...(store && { store }) }).facts.map(({ kind, isSigned }) => [kind, isSigned]);
  assert.deepEqual(signedOf(makeStore(makeManifest())), [
    ['place', true],
    ['camera', true],
    ['author', false],
  ]);
  const broken = makeManifest({ codes: [codeFact('failure', 'assertion.dataHash.mismatch')] });
  for (const store of [makeStore(broken), undefined]) {
    assert.deepEqual(signedOf(store), [
      ['camera', false],
      ['author', false],
    ]);
  }
});

test('an assertion of another kind, or of another shape, gives no facts', () => {
  const store = makeStore(makeManifest());
  for (const [data, label] of [
    [{ 'EXIF:Make': 'Google' }, 'com.example.made-up'],
    [{ 'EXIF:Make': { deep: { name: 'Google' } } }, 'stds.exif'],
    [[['EXIF:Make']], 'stds.exif'],
  ] as const) {
    assert.deepEqual(file({}, { c2pa: report(data, label), store }).facts, []);
  }
});

const CAPTURED = 'EXIF DateTimeOriginal';
const CONTRADICTIONS: [name: string, texts: Record<string, string>, said: RegExp | null][] = [
  ['two captures', { [CAPTURED]: '2026:05:01 12:00:00', 'XMP DateCreated': '2026-05-02T12:00:00' }, /differ/],
  [
    'one capture, twice',
    { [CAPTURED]: '2026:05:01 12:00:00', 'XMP DateCreated': '2026-05-01T12:01:00' },
    null,
  ],
  [
    'a zone that is written once',
    { [CAPTURED]: '2026:05:01 12:00:00', 'XMP DateCreated': '2026-05-01T10:00:00Z' },
    null,
  ],
  ['a day alone', { [CAPTURED]: '2026:05:01 12:00:00', 'IPTC Date Created': '2026-05-03' }, null],
  [
    'a change before',
    { [CAPTURED]: '2026:05:04 12:00:00', 'EXIF DateTime': '2026:05:01 12:00:00' },
    /changed before/,
  ],
  [
    'a change that another zone explains',
    { [CAPTURED]: '2026:05:01 20:00:00', 'EXIF DateTime': '2026:05:01 02:00:00' },
    null,
  ],
  ['a change after', { [CAPTURED]: '2026:05:01 12:00:00', 'EXIF DateTime': '2026:06:01 12:00:00' }, null],
  [
    'another day by satellite',
    { [CAPTURED]: '2026:05:09 12:00:00', 'EXIF GPSDateStamp': '2026:05:01', 'EXIF GPSTimeStamp': '10:00:00' },
    /satellites/,
  ],
  [
    'the day by satellite',
    { [CAPTURED]: '2026:05:01 12:00:00', 'EXIF GPSDateStamp': '2026:05:01', 'EXIF GPSTimeStamp': '19:00:00' },
    null,
  ],
];

for (const [name, texts, said] of CONTRADICTIONS) {
  test(`times: ${name} ${said === null ? 'may be true together' : 'contradict each other'}`, () => {
    const { contradictions } = file(texts);
    assert.equal(contradictions.length, said === null ? 0 : 1, JSON.stringify(contradictions));
    if (said !== null) assert.match(contradictions[0]?.en ?? '', said);
  });
}

test('a capture after the time stamp of its signature, and a thumbnail of another picture, contradict the file', () => {
  const { signer, ...manifest } = makeManifest();
  assert.ok(signer !== null);
  const time = Date.UTC(2026, 4, 1, 10) * 1000;
  const stamped = { ...manifest, signer: { ...signer, timeStamp: { time, authority: 'A', vouchedBy: [] } } };
  const store = makeStore(stamped);
  const said = (captured: string) =>
    file({ [CAPTURED]: captured }, { store }).contradictions.map(({ en }) => en);
  assert.match(said('2026:05:03 12:00:00').join(), /after the time stamp/);
  assert.deepEqual(said('2026:05:01 12:00:00'), []);
  const withBits = (thumbnailBits: number) =>
    file({}, { fileFacts: { facts: [], thumbnailBits } }).contradictions;
  assert.match(withBits(96)[0]?.en ?? '', /thumbnail/);
  assert.deepEqual(withBits(64), []);
});

test('nothing is said of a result of a version that did not read facts', () => {
  assert.equal(fileFactsOf(NO_PROVENANCE), null);
});
