/** What a worker may lie about a picture, and the name by which each lie is refused. */
import type { ImageResult } from '../../../src/domain/verdicts/result.ts';
import { answered, first, type Lies } from './honest-results.ts';

/** A portrait with all options. */
export const MODEL_LIES: Lies<ImageResult> = [
  ['weight 0', /no result: result\.runs\.0\.weight/, ({ result }) => (first(result.runs).weight = 0)],
  ['no weight', /no result: .*weight/, ({ result }) => Reflect.deleteProperty(first(result.runs), 'weight')],
  ['NaN', /answered without figures/, ({ result }) => (answered(result.runs).logit = Number.NaN)],
  ['no logit', /no result: .*logit/, ({ result }) => Reflect.deleteProperty(answered(result.runs), 'logit')],
  [
    'another weight',
    /weight of .* is 9, not the pack's own/,
    ({ result }) => (first(result.runs).weight = 9),
  ],
  [
    'another task',
    /task of .* not the pack's own/,
    ({ result }) => (answered(result.runs, 'image-origin').task = 'nsfw'),
  ],
  [
    'another axis',
    /axis of .* not the pack's own/,
    ({ result }) => (answered(result.runs, 'image-origin').axis = 'edited'),
  ],
  [
    'another family',
    /family of .* not the pack's own/,
    ({ result }) => (answered(result.runs, 'image-origin').family = 'own'),
  ],
  [
    'another bound',
    /cautiousThreshold of .* not the pack's own/,
    ({ result }) => (answered(result.runs).cautiousThreshold = 0.01),
  ],
  [
    'another set of packs',
    /together of .* not the pack's own/,
    ({ result }) => {
      answered(result.runs).together = {
        packs: [],
        cautiousThreshold: 0,
        inconclusiveLow: 0,
        inconclusiveHigh: 0,
      };
    },
  ],
  [
    'probability and log-odds',
    /probability of .* by its log-odds/,
    ({ result }) => (answered(result.runs).probability = 0.123),
  ],
  [
    'more time than has passed',
    /worked 1000000 s, at most/,
    ({ result }) => (answered(result.runs, 'image-origin').elapsedSeconds = 1e6),
  ],
  ['log-odds and logit', /log-odds of .* by its logit/, ({ result }) => (answered(result.runs).logOdds = 7)],
  [
    'an answer without figures',
    /answered without figures/,
    ({ result }) => (answered(result.runs).logit = null),
  ],
  [
    'an answer with an excuse',
    /says why it could not/,
    ({ result }) => (answered(result.runs).reason = 'tired'),
  ],
  [
    'figures of no answer',
    /gave no answer, and figures/,
    ({ result }) => Object.assign(answered(result.runs), { unknown: true, reason: 'x' }),
  ],
  [
    'no reason for no answer',
    /gave no answer, and figures or no reason/,
    ({ result }) =>
      Object.assign(answered(result.runs, 'image-origin'), {
        unknown: true,
        logit: null,
        logOdds: null,
        probability: null,
        device: '',
      }),
  ],
  [
    'more places than the pack looks at',
    /places of .* more than/,
    ({ result }) => (answered(result.runs, 'image-origin').places = { count: 999, spread: 1 }),
  ],
  ['answered twice', /answered 2 times/, ({ result }) => result.runs.push(first(result.runs))],
  [
    'answered thrice',
    /answered 3 times/,
    ({ result }) => result.runs.push(first(result.runs), first(result.runs)),
  ],
  ['not answered', /was asked and did not answer/, ({ result }) => void result.runs.pop()],
  [
    'not asked',
    /which was not asked/,
    ({ result }) => result.runs.push({ ...first(result.runs), model: 'own' }),
  ],
  [
    'a sentence as device',
    /no result: .*device/,
    ({ result }) => (first(result.runs).device = 'a great <b>machine</b>'),
  ],
];

export const PICTURE_LIES: Lies<ImageResult> = [
  ['a type of sound', /mime: audio\/flac is no type of image/, ({ result }) => (result.mime = 'audio/flac')],
  ['nsfw withheld', /nsfw is null, was asked/, ({ result }) => (result.nsfw = null)],
  [
    '1,000 faces',
    /no result: result\.detections/,
    ({ result }) => (result.detections = Array(1000).fill(first(result.detections))),
  ],
  [
    'a face outside',
    /does not lie in the picture/,
    ({ result }) => (first(result.detections).box.x2 = result.width + 1),
  ],
  ['a face inside out', /does not lie in the picture/, ({ result }) => (first(result.detections).box.x2 = 0)],
  ['a face not judged', /face 1: .* did not answer/, ({ result }) => (first(result.detections).runs = [])],
  [
    'a tiny face judged',
    /answered what it cannot see/,
    ({ result }) => {
      const { box } = first(result.detections);
      Object.assign(box, { x2: box.x1 + 1, y2: box.y1 + 1 });
    },
  ],
  [
    'the whole is not its worst face',
    /is not the one that follows from the others/,
    ({ result }) => {
      const run = answered(result.runs, 'face-origin');
      run.elapsedSeconds += 1;
    },
  ],
  ['copies not known', /stability: of png-3/, ({ result }) => (first(result.stability).name = 'png-3')],
  [
    'copies left out',
    /stability: (jpeg-60|scale-75) left out, though it may change the answer/,
    // Which copies are judged is the model's own: each version of it may leave out another one.
    ({ result }) => {
      result.copiesNotNeeded = result.stability.map(({ name }) => name);
      result.stability = [];
    },
  ],
  ['one copy twice', /stability: of/, ({ result }) => result.stability.push(first(result.stability))],
  [
    'copies that disagree',
    /stability: .* do not agree/,
    ({ result }) => (first(result.stability).probability = 0.1234),
  ],
  [
    'edits without a map',
    /without its map/,
    ({ result }) => Object.assign(result.tampering ?? {}, { hasMap: false }),
  ],
  [
    'edits without a summary',
    /a summary of edits without an answer, or none/,
    ({ result }, kept) => {
      delete result.tampering;
      kept.delete('tampering.png');
      kept.delete('tampering-reliability.png');
    },
  ],
  [
    'a map that did not come',
    /the file heatmap\.png did not come/,
    (_, kept) => void kept.delete('heatmap.png'),
  ],
  [
    'a map of edits that did not come',
    /the file tampering\.png did not come/,
    (_, kept) => void kept.delete('tampering.png'),
  ],
  [
    'forty files',
    /the file extra-0 came, and the result does not name it/,
    (_, kept) => {
      for (let index = 0; index < 40; index += 1)
        kept.set(`extra-${index}`, { hash: '0'.repeat(64), sizeBytes: 1 });
    },
  ],
  ['no marks', /marks: were not looked for/, ({ result }) => void delete result.marks],
  [
    'a signer of nothing',
    /a signed origin without a manifest/,
    ({ result }) => (result.provenance = { ...result.provenance, signer: 'me' }),
  ],
  ['two likenesses', /2 likenesses of 1 pictures/, ({ likenesses }) => likenesses.push(first(likenesses))],
  ['a likeness of a frame', /where no frame is/, ({ likenesses }) => (first(likenesses).timeSeconds = 3)],
  ['an endless width', /no result: result\.width/, ({ result }) => (result.width = 1e300)],
  ['a field more', /no result/, ({ result }) => Object.assign(result, { verdict: 'human' })],
  [
    'a time of nothing',
    /no result: stepTimes/,
    ({ stepTimes }) => stepTimes.push({ step: 'a', seconds: -1, times: 1 }),
  ],
];

/** A picture without any option. */
export const PLAIN_LIES: Lies<ImageResult> = [
  [
    'a heatmap not asked for',
    /a heatmap that was not asked for/,
    ({ result }, kept) => {
      result.hasHeatmap = true;
      kept.set('heatmap.png', { hash: '0'.repeat(64), sizeBytes: 1 });
    },
  ],
  ['nsfw not asked for', /nsfw is 0\.5, was not asked/, ({ result }) => (result.nsfw = 0.5)],
  [
    'faces not asked for',
    /faces, which were not looked for/,
    ({ result }) => result.detections.push({ box: { x1: 0, y1: 0, x2: 9, y2: 9 }, runs: [] }),
  ],
  [
    'edits not asked for',
    /a summary of edits without an answer/,
    ({ result }, kept) => {
      result.tampering = { coverage: 1, hasMap: true };
      for (const name of ['tampering.png', 'tampering-reliability.png'])
        kept.set(name, { hash: '0'.repeat(64), sizeBytes: 1 });
    },
  ],
  [
    'too small to be seen',
    /answered what it cannot see/,
    ({ result }) => Object.assign(result, { width: 8, height: 8 }),
  ],
];
