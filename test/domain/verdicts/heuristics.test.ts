import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forcesArtificial, NO_PROVENANCE } from '../../../src/domain/provenance/provenance.ts';
import { assessImage, evidenceBandOf } from '../../../src/domain/verdicts/assessment.ts';
import {
  boundsOf,
  type HeuristicName,
  judge,
  logistic,
  usableRuns,
  voicesOf,
} from '../../../src/domain/verdicts/heuristics.ts';
import type { ImageResult, ModelRun } from '../../../src/domain/verdicts/result.ts';

function run(logOdds: number | null, changes: Partial<ModelRun> = {}): ModelRun {
  return {
    model: 'm',
    version: '1.0.0',
    task: 'image-origin',
    axis: 'generated',
    unknown: logOdds === null,
    reason: '',
    logit: logOdds,
    logOdds,
    probability: logOdds === null ? null : logistic(logOdds),
    cautiousThreshold: 0.9,
    inconclusiveLow: 0.4,
    inconclusiveHigh: 0.6,
    weight: 1,
    elapsedSeconds: 0,
    device: 'cpu',
    ...changes,
  };
}

function labelsOf(runs: ModelRun[], forced = false): Record<HeuristicName, string> {
  return Object.fromEntries(
    judge(runs, forced).map(({ heuristic, classification }) => [heuristic, classification]),
  ) as Record<HeuristicName, string>;
}

test('cautious accuses only above its threshold', () => {
  assert.deepEqual(labelsOf([run(1)]), {
    balanced: 'artificial',
    cautious: 'human',
    sensitive: 'artificial',
    majority: 'artificial',
  });
  assert.equal(labelsOf([run(3)]).cautious, 'artificial');
});

test('balanced accuses only above the inconclusive band, with the probability of what it says', () => {
  const [inside] = judge([run(0.3)], false);
  assert.equal(inside?.classification, 'human');
  assert.ok(Math.abs((inside?.confidence ?? 0) - (1 - logistic(0.3))) < 1e-12);
  assert.equal(labelsOf([run(0.45)]).balanced, 'artificial');
});

test('sensitive follows the most suspicious model, majority the votes; a tie does not accuse', () => {
  const runs = [run(2), run(-3)];
  assert.equal(labelsOf(runs).sensitive, 'artificial');
  assert.equal(labelsOf(runs).majority, 'human');
  assert.equal(labelsOf(runs).balanced, 'human');
});

test('models of one family have one voice', () => {
  const family = 'one-family';
  const other = run(-1);
  const pair = [run(2, { family, weight: 2 }), run(1, { family, weight: 2 })];
  const [balanced] = judge([...pair, other], false);
  // The family says 1.5 with the weight of one of its members, not of both.
  assert.ok(Math.abs((balanced?.confidence ?? 0) - logistic((2 * 1.5 - 1) / 3)) < 1e-12);
  const [apart] = judge([...pair.map(({ family: _, ...alone }) => alone), other], false);
  assert.ok(Math.abs((apart?.confidence ?? 0) - logistic((2 * 2 + 2 * 1 - 1) / 5)) < 1e-12);
});

test('a family has one vote, and none for what it says of another thing', () => {
  const family = 'one-family';
  const votes = [run(2, { family }), run(2, { family }), run(-2), run(-2)];
  assert.equal(labelsOf(votes).majority, 'human');
  const faces = votes.map((it, index) => (index === 0 ? { ...it, task: 'face-origin' as const } : it));
  assert.equal(voicesOf(usableRuns(faces)).length, 4);
  assert.equal(voicesOf(usableRuns(votes)).length, 3);
});

const SWAPPED = { task: 'face-origin', axis: 'swapped' } as const;

test('a face below its bound takes no part in the origin: a picture without a swap may still be generated', () => {
  for (const logOdds of [-0.8, 0.3]) {
    assert.deepEqual(
      usableRuns([run(2), run(logOdds, SWAPPED)]).map(({ axis }) => axis),
      ['generated'],
    );
  }
  assert.deepEqual(
    usableRuns([run(2), run(0.6, SWAPPED)]).map(({ axis }) => axis),
    ['generated', 'swapped'],
  );
});

const faceNotes: { name: string; face: ModelRun; code: string; sentence: RegExp }[] = [
  {
    name: 'a face below the bound is not judged',
    face: run(0.3, SWAPPED),
    code: 'FACES_NOT_JUDGED',
    sentence: /the most suspicious one \(57 %\) lies below 60 %.*neither for a swap nor against one/,
  },
  {
    name: 'a face from the bound on shows signs of a swap',
    face: run(0.6, SWAPPED),
    code: 'FACE_SWAP_LIKELY',
    sentence: /^A face of the picture shows signs of a swap \(65 %\)\.$/,
  },
  {
    name: 'without a face the note says why',
    face: run(null, { ...SWAPPED, reason: 'No face was found.' }),
    code: 'FACES_NOT_JUDGED',
    sentence: /^Faces were not judged: No face was found\.$/,
  },
];

for (const { name, face, code, sentence } of faceNotes) {
  test(`faces: ${name}`, () => {
    const { reasons } = assessImage(result({ runs: [run(2), face] }));
    assert.match(reasons.find((it) => it.code === code)?.sentence ?? '', sentence);
  });
}

test('the confidence is the probability of the stated class, and the weights count', () => {
  const [balanced] = judge([run(2, { weight: 3 }), run(-2, { weight: 1 })], false);
  assert.equal(balanced?.classification, 'artificial');
  assert.ok(Math.abs((balanced?.confidence ?? 0) - logistic(1)) < 1e-12);
});

test('without an answer REST must not accuse: human at 0.5, no models', () => {
  for (const verdict of judge([run(null)], false)) {
    assert.deepEqual([verdict.classification, verdict.confidence, verdict.models], ['human', 0.5, []]);
  }
});

test('a signature forces every heuristic and says so', () => {
  for (const verdict of judge([run(-5)], true)) {
    assert.deepEqual(
      [verdict.classification, verdict.confidence, verdict.models],
      ['artificial', 1, ['c2pa']],
    );
  }
});

test('which signatures force is the policy’s decision', () => {
  const c2pa = {
    manifests: {},
    active_manifest: 'a',
    validation_state: 'Valid',
    validation_status: [],
    validation_results: {
      activeManifest: { failure: [], success: [], informational: [] },
      ingredientDeltas: [],
    },
  };
  const captured = { ...NO_PROVENANCE, c2pa, declaredOrigin: 'captured' as const };
  const generated = { ...NO_PROVENANCE, c2pa, declaredOrigin: 'generated' as const };
  assert.equal(forcesArtificial(captured, 'any', false), true);
  assert.equal(forcesArtificial(captured, 'generative', false), false);
  assert.equal(forcesArtificial(generated, 'generative', false), true);
  assert.equal(forcesArtificial(generated, 'never', false), false);
  assert.equal(forcesArtificial(generated, 'any', true), false);
  assert.equal(forcesArtificial(NO_PROVENANCE, 'any', false), false);
});

function result(changes: Partial<ImageResult>): ImageResult {
  return {
    kind: 'image',
    mime: 'image/jpeg',
    width: 100,
    height: 100,
    pages: 1,
    runs: [run(2)],
    nsfw: null,
    detections: [],
    provenance: NO_PROVENANCE,
    stability: [],
    quality: { shortSide: 100, jpegQuality: 90, truncated: false },
    hasHeatmap: false,
    ...changes,
  };
}

const WATERMARK = { id: 'sdxl', bits: 48, errors: 0 };

const assessed: { name: string; changes: Partial<ImageResult>; state: string; code?: string }[] = [
  { name: 'strong evidence', changes: {}, state: 'artificial' },
  { name: 'strong evidence for a human', changes: { runs: [run(-2)] }, state: 'human' },
  { name: 'weak evidence', changes: { runs: [run(0.1)] }, state: 'inconclusive', code: 'WEAK_EVIDENCE' },
  {
    name: 'a flip under recompression',
    changes: { stability: [{ name: 'jpeg-60', logOdds: -1, probability: 0.27 }] },
    state: 'inconclusive',
    code: 'UNSTABLE_UNDER_REENCODING',
  },
  {
    name: 'a manifest that contradicts the models',
    changes: { runs: [run(-2)], provenance: { ...NO_PROVENANCE, declaredOrigin: 'generated' } },
    state: 'inconclusive',
    code: 'PROVENANCE_CONTRADICTS_MODELS',
  },
  {
    name: 'metadata that declare a generator where the models see none',
    changes: {
      runs: [run(-2)],
      provenance: {
        ...NO_PROVENANCE,
        declarations: [
          { kind: 'generator', field: 'PNG parameters', value: 'Steps: 20', origin: 'generated' },
        ],
      },
    },
    state: 'inconclusive',
    code: 'METADATA_CONTRADICT_MODELS',
  },
  {
    name: 'a generator’s watermark where the models lean human: never human',
    changes: { runs: [run(-2)], marks: { hasReadMetadata: true, watermarks: [WATERMARK] } },
    state: 'inconclusive',
    code: 'WATERMARK_CONTRADICTS_MODELS',
  },
  {
    name: 'a generator’s watermark where the models agree',
    changes: { marks: { hasReadMetadata: true, watermarks: [WATERMARK] } },
    state: 'artificial',
    code: 'WATERMARK_FOUND',
  },
  {
    name: 'no mark at all: absence says nothing',
    changes: { runs: [run(-2)], marks: { hasReadMetadata: true, watermarks: [] } },
    state: 'human',
  },
  {
    name: 'a camera that metadata name: no evidence against the models',
    changes: {
      provenance: {
        ...NO_PROVENANCE,
        declarations: [{ kind: 'camera', field: 'EXIF Make, Model', value: 'X', origin: 'captured' }],
      },
    },
    state: 'artificial',
    code: 'METADATA_CAMERA',
  },
  { name: 'no answer', changes: { runs: [run(null)] }, state: 'not_applicable', code: 'NO_MODEL_ANSWERED' },
];

for (const { name, changes, state, code } of assessed) {
  test(`assessment of ${name}: ${state}`, () => {
    const assessment = assessImage(result(changes));
    assert.equal(assessment.state, state);
    if (code !== undefined) assert.ok(assessment.reasons.some((reason) => reason.code === code));
  });
}

const SET = {
  packs: ['m@1.0.0', 'n@2.0.0'],
  cautiousThreshold: 0.7,
  inconclusiveLow: 0.2,
  inconclusiveHigh: 0.65,
};

test('bounds of a set hold where all of its packs answered, else each pack’s own, the most careful', () => {
  const [first, second] = [
    run(1, { together: SET }),
    run(1, { model: 'n', version: '2.0.0', together: SET }),
  ];
  const { cautiousThreshold, inconclusiveLow, inconclusiveHigh } = run(0);
  const own = { cautiousThreshold, inconclusiveLow, inconclusiveHigh };
  const ofSet = { cautiousThreshold: 0.7, inconclusiveLow: 0.2, inconclusiveHigh: 0.65 };
  const boundsOfRuns = (runs: ModelRun[]) => {
    const { cautiousThreshold, inconclusiveLow, inconclusiveHigh } = boundsOf(usableRuns(runs));
    return { cautiousThreshold, inconclusiveLow, inconclusiveHigh };
  };
  assert.deepEqual(boundsOfRuns([first, second]), ofSet);
  assert.deepEqual(boundsOfRuns([first]), own);
  assert.deepEqual(boundsOfRuns([first, run(null, { model: 'n', version: '2.0.0', together: SET })]), own);
  assert.deepEqual(boundsOfRuns([first, run(1, { model: 'n', version: '2.0.1', together: SET })]), own);
  const stranger = run(1, { model: 'x', cautiousThreshold: 0.95 });
  assert.deepEqual(boundsOfRuns([first, second, stranger]), { ...ofSet, cautiousThreshold: 0.95 });
  assert.equal(labelsOf([first, second]).cautious, 'artificial', 'logistic(1) is 0.73');
  assert.equal(labelsOf([first]).cautious, 'human');
});

test('evidence is named by the size of the likelihood ratio, on either side', () => {
  const named = [0, -0.29, 0.3, -0.99, 1, 1.99, -2, 5].map(evidenceBandOf);
  assert.deepEqual(named, [
    ...['no usable', 'no usable', 'weak', 'weak', 'moderate', 'moderate', 'strong', 'strong'],
  ]);
});
