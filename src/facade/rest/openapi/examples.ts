/** Examples of the description: one of each record and of each error body. */

const IDENTIFIER = '8f14e45fceea167a5a36dedd4bea2543c1a2f0d9b7e65a4f3c2d1e0f9a8b7c6d';
const HASH = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';

const verdict = {
  heuristic: 'balanced',
  confidence: 0.97,
  classification: 'artificial',
  models: ['image-origin'],
};
const result = {
  model: 'image-origin',
  unknown: false,
  elapsed_time: 0.42,
  classification: [
    { label: 'human', score: 0.03 },
    { label: 'artificial', score: 0.97 },
  ],
  classification_details: {},
};
const head = {
  hash: HASH,
  identifier: IDENTIFIER,
  api_version: '1.1.0',
  status: 'done',
  errors: '',
  name: 'photo.jpg',
  ref_id: 'desk-4711',
  result_url: `http://127.0.0.1:8480/classifications/${IDENTIFIER}`,
};

const image = {
  ...head,
  c2pa: null,
  has_heatmap: true,
  verdict,
  verdicts: [verdict],
  results: [result],
  details: [],
};
const audio = {
  ...head,
  name: 'interview.mp3',
  verdict,
  verdicts: [verdict],
  results: [result],
  details: { clips: [{ index: 0, start: 0, end: 4, results: [result], verdict }] },
};
const videoVerdict = { ...verdict, count: 9, unknown: false };

export const EXAMPLES = {
  identifier: IDENTIFIER,
  hash: HASH,
  image,
  imageNew: {
    hash: HASH,
    identifier: IDENTIFIER,
    status: 'new',
    errors: '',
    name: 'photo.jpg',
    ref_id: '',
    result_url: head.result_url,
    c2pa: null,
    has_heatmap: false,
    verdicts: [],
    results: [],
    details: [],
  },
  audio,
  video: {
    ...head,
    name: 'clip.mp4',
    verdict: videoVerdict,
    verdicts: [videoVerdict],
    results: { images: [image], audios: [] },
  },
  validation: {
    valid: true,
    filesize: 482113,
    mimetype: 'image/jpeg',
    width: 1920,
    height: 1080,
    models: ['image-origin'],
  },
  override: { classification: 'human', type: 'image', hash: HASH },
  credits: { available_credits: 1000000, total_spent: 0 },
  fieldError: { error: { image: ['expected PNG, JPEG, WEBP, TIFF'] } },
  tooLarge: { error: { image: ['15728641 bytes, at most 15728640'] } },
  validationFailure: { valid: false, detail: 'the file is corrupt: it cannot be decoded' },
  key: { error: 'the API key is missing or not valid' },
  notEnabled: { error: 'video is not enabled for this account' },
  notFound: { error: 'there is no such classification' },
  credit: { error: 'not enough credits' },
  noModels: { message: 'no models are available for the selected options' },
  listTooLong: { message: 'at most 100 identifiers in one request' },
  rate: { message: 'too many requests' },
  unavailable: { error: 'the disk is full; try again later' },
} as const;
