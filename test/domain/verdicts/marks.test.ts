import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chanceOf } from '../../../src/domain/media/open-watermarks.ts';
import {
  type C2paReport,
  NO_PROVENANCE,
  type Provenance,
} from '../../../src/domain/provenance/provenance.ts';
import { type MarkedMedia, marksOf } from '../../../src/domain/verdicts/marks.ts';

const REPORT: C2paReport = {
  manifests: {},
  active_manifest: 'a',
  validation_state: 'Valid',
  validation_status: [],
  validation_results: {
    activeManifest: { failure: [], success: [], informational: [] },
    ingredientDeltas: [],
  },
};

function marked(provenance: Partial<Provenance>, changes: Partial<MarkedMedia> = {}): MarkedMedia {
  return {
    kind: 'image',
    provenance: { ...NO_PROVENANCE, ...provenance },
    marks: { hasReadMetadata: true, watermarks: [] },
    ...changes,
  };
}

function statesOf(media: MarkedMedia): Record<string, string> {
  return Object.fromEntries(
    (marksOf(media) ?? []).map(({ kind, state, strength, origin }) => [
      kind,
      [state, strength, origin].filter((word) => word !== 'none' && word !== null).join(' '),
    ]),
  );
}

const NONE = {
  c2pa: 'absent',
  source_type: 'absent',
  generator_parameters: 'absent',
  generator_name: 'absent',
  open_watermark: 'absent',
  closed_watermark: 'not_checkable',
};
const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

const CASES: { name: string; media: MarkedMedia; states: Record<string, string> }[] = [
  { name: 'nothing', media: marked({}), states: {} },
  {
    name: 'a signed manifest',
    media: marked({ c2pa: REPORT, declaredOrigin: 'generated', signer: 'X' }),
    states: { c2pa: 'found strong generated' },
  },
  {
    name: 'a manifest of another file',
    media: marked({ c2pa: { ...REPORT, validation_state: 'Invalid' }, declaredOrigin: 'captured' }),
    states: { c2pa: 'broken' },
  },
  { name: 'an unreadable manifest', media: marked({ fault: 'no' }), states: { c2pa: 'broken' } },
  {
    name: 'a manifest elsewhere',
    media: marked({ remoteManifestUrl: 'https://x.example/a' }),
    states: { c2pa: 'not_checkable' },
  },
  {
    name: 'a source type',
    media: marked({
      declarations: [
        {
          kind: 'source_type',
          field: 'XMP DigitalSourceType',
          value: `${IPTC}trainedAlgorithmicMedia`,
          origin: 'generated',
        },
      ],
    }),
    states: { source_type: 'found weak generated' },
  },
  {
    name: 'a source type that is no term',
    media: marked({
      declarations: [
        { kind: 'source_type', field: 'XMP DigitalSourceType', value: `${IPTC}drawn`, origin: 'unknown' },
      ],
    }),
    states: { source_type: 'broken' },
  },
  {
    name: 'parameters and a name',
    media: marked({
      declarations: [
        { kind: 'generator', field: 'PNG parameters', value: 'Steps: 20', origin: 'generated' },
        { kind: 'generator', field: 'EXIF Software', value: 'NovelAI', origin: 'generated' },
        { kind: 'camera', field: 'EXIF Make, Model', value: 'X', origin: 'captured' },
      ],
    }),
    states: { generator_parameters: 'found weak generated', generator_name: 'found weak generated' },
  },
  {
    name: 'a watermark',
    media: marked(
      {},
      { marks: { hasReadMetadata: true, watermarks: [{ id: 'sdxl', bits: 48, errors: 2 }] } },
    ),
    states: { open_watermark: 'found strong generated' },
  },
  {
    name: 'a picture too small, of a format whose metadata are not read',
    media: marked({}, { marks: { hasReadMetadata: false, watermarks: null } }),
    states: {
      ...{ source_type: 'not_checkable', generator_parameters: 'not_checkable' },
      ...{ generator_name: 'not_checkable', open_watermark: 'not_checkable' },
    },
  },
  {
    name: 'a film',
    media: marked({}, { kind: 'video', marks: { hasReadMetadata: true, watermarks: null } }),
    states: { open_watermark: 'not_checkable' },
  },
];

for (const { name, media, states } of CASES) {
  test(`marks of ${name}`, () => assert.deepEqual(statesOf(media), { ...NONE, ...states }));
}

test('a result of a version that did not look has no marks, rather than absent ones', () => {
  assert.equal(marksOf(marked({}, { marks: undefined })), null);
});

test('a watermark says whose it is, how whole, and how rare by accident', () => {
  const found = marksOf(
    marked({}, { marks: { hasReadMetadata: true, watermarks: [{ id: 'sdxl', bits: 48, errors: 2 }] } }),
  )?.find(({ kind }) => kind === 'open_watermark');
  assert.equal(
    found?.value,
    'Stable Diffusion XL, 46 of 48 bits (by accident less than once in 10^10 pictures)',
  );
});

test('the chance of a find counts the ways to misplace ones', () => {
  assert.ok(Math.abs(chanceOf(4, 2, 0) - 1 / 6) < 1e-12);
  assert.ok(Math.abs(chanceOf(4, 2, 3) - 5 / 6) < 1e-12);
  assert.ok(Math.abs(chanceOf(4, 2, 4) - 1) < 1e-12);
});
