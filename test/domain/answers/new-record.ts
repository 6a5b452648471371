/** What every record holds before its analysis ends; the tests of single facades say the rest. */
import type { RecordBase } from '../../../src/domain/answers/record.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';

export const NEW_RECORD: Omit<RecordBase, 'kind'> = {
  identifier: 'a'.repeat(64),
  hash: 'b'.repeat(64),
  apiVersion: null,
  rules: null,
  status: 'new',
  outcome: 'waiting',
  headline: {
    ...{ word: 'waiting', beside: null, documented: null },
    ...{ title: { en: 'In progress', it: 'In corso' }, sentence: { en: 'In progress.', it: 'In corso.' } },
  },
  errors: '',
  name: 'photo.jpg',
  refId: '',
  resultUrl: 'http://127.0.0.1/classifications/a',
  forceClassification: null,
  signOff: null,
  deskId: null,
  accountId: 1,
  accountName: 'Ada',
  added: null,
  mime: 'image/jpeg',
  sizeBytes: 1,
  sourceUrl: null,
  options: DEFAULT_OPTIONS,
  origin: 'analysed',
  credits: 0,
  createdAt: 0,
  endedAt: null,
  progress: null,
  // REST does not show it.
  stepTimes: [],
  tentative: {
    frames: [{ timeSeconds: 1, probability: 0.5 }],
    ...{ clips: [], transcript: [], state: 'inconclusive', probability: 0.5 },
  },
  cancelled: false,
  partOf: null,
  submittedBy: null,
  exports: [],
};
