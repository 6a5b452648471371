import {
  type Choice,
  flag,
  identifier,
  json,
  listOf,
  long,
  noun,
  nounOf,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { MEDIA_KIND } from '../media/media.ts';
import type { ModelTask } from '../packs/model-pack.ts';

/** It moves with the work of all accounts. */
const ADMINS_ONLY = 'Null unless an administrator asks.';

export const MODEL = {
  id: identifier(),
  version: text(),
  name: text(),
  /** Empty if the pack's description cannot be read. */
  task: text<ModelTask | ''>(),
  kind: oneOf(MEDIA_KIND),
  provider: nullable(text('What really runs it: cpu, cuda and so on; empty while it is not loaded.')),
  precision: nullable(text<'full' | 'half'>('`full` or `half`; null while it is out of service.')),
  precisionNote: nullable(
    text('Why it runs in full precision although half is wanted; empty where there is nothing to say.'),
  ),
  preparing: nullable(
    text(
      'Providers that are being prepared for it, and since when, while `provider` answers; empty where none is.',
    ),
  ),
  resident: nullable(
    flag(
      `Whether it is in memory now; one that was let go is brought up by the next request. ${ADMINS_ONLY}`,
    ),
  ),
  fault: nullable(text('Why it is out of service; empty where it is not.')),
  licence: text(),
  /** In pixels; 0 for a model of sound. */
  minimumShortSide: nullable(whole()),
  source: text('Where it comes from.'),
  weight: number('What its answer counts beside the others; 0 where it judges no origin.'),
  added: flag('Whether it was added here, and can be removed.'),
  sha256: text('SHA-256 of its model file, hex; empty where its description cannot be read.'),
  outside: text(
    'Error rates on media outside of training and calibration, with their set; empty where none were measured.',
  ),
  figures: json<readonly object[]>(
    'Measured error rates, one row for each set and quality of media, those of outside media first.',
  ),
};

export interface ModelStatus extends ValuesOf<typeof MODEL> {}

export const PICTURE_INDEX = {
  name: 'PictureIndex',
  description:
    'What a search with a picture looks through, and how far what was analysed before it has come.',
  fields: {
    pictures: whole('Pictures and frames that are found by a part.'),
    bytes: long('Memory of their index.'),
    damaged: whole('Rows that are damaged and left out.'),
    looked: whole('Earlier analyses that were looked at since the start, of `total`.'),
    total: whole(),
    learned: whole('Earlier records that were described since the start.'),
    gone: whole('Earlier records whose file or frames are not kept: found as a whole only.'),
    unreadable: whole('Earlier records that could not be decoded; tried at the next start.'),
    isDone: flag('Whether all earlier records are described.'),
  },
};

export const APPLIANCE = {
  version: text(),
  apiVersion: text(),
  phase: text(),
  notReadyReason: nullable(text()),
  isolation: nullable(text(ADMINS_ONLY)),
  videoDecoder: nullable(
    text(`\`cpu\`, \`nvdec\`, or \`cpu: \` with the reason why it is not the GPU. ${ADMINS_ONLY}`),
  ),
  queueDepth: nullable(whole(ADMINS_ONLY)),
  running: nullable(whole(ADMINS_ONLY)),
  uptimeSeconds: nullable(number(ADMINS_ONLY)),
  /** Memory of the daemon itself, without mapped database pages. */
  rssAnonBytes: nullable(long(ADMINS_ONLY)),
  diskFreeBytes: nullable(long(ADMINS_ONLY)),
  search: nullable(nounOf(PICTURE_INDEX, ADMINS_ONLY)),
  models: listOf(noun<ModelStatus>('Model')),
};

export const CATALOGUE_ENTRY = {
  name: 'CatalogueEntry',
  fields: {
    name: identifier(),
    title: text(),
    homepage: text(),
    address: text('Where its file is fetched from.'),
    sha256: text(),
    bytesMax: long(),
    sizeBytes: long('Size of the file; 0 if it is not known before it comes.'),
    licence: text(),
    licenceAccept: text(
      'A licence that forbids some uses: who adds it must name it. Empty where there is none.',
    ),
    task: text('What it judges.'),
    family: text('Models of one family share their errors and have one voice; empty where it has no other.'),
    measured: listOf(text('Who measured what, on which media.')),
    installed: flag(),
  },
};
export interface CatalogueListing extends ValuesOf<typeof CATALOGUE_ENTRY.fields> {}

export const BENCHED_MODEL = {
  name: 'BenchedModel',
  fields: {
    id: identifier(),
    version: text(),
    provider: text('What really ran it.'),
    items: whole('Patches, windows or pictures that were run.'),
    itemsPerSecond: number(),
    singleMs: number('Milliseconds of one item alone.'),
    error: text('Why it could not be measured; empty where it was.'),
  },
};
export interface BenchedModel extends ValuesOf<typeof BENCHED_MODEL.fields> {}

const FINDING_STATE = { name: 'FindingState', words: ['good', 'notice', 'bad'] } as const satisfies Choice;

export const FINDING = {
  name: 'Finding',
  fields: {
    name: text('What was looked at.'),
    state: oneOf(FINDING_STATE),
    found: text(),
    advice: text('What to do; empty where all is good.'),
  },
};
export interface Finding extends ValuesOf<typeof FINDING.fields> {}

export const SETTING = {
  name: 'Setting',
  description: 'A setting of the daemon. It lives in the settings file alone, and is read at the start.',
  fields: {
    key: text(),
    value: text('What was read at the start, secrets hidden; empty if it is not set.'),
    origin: text('The source: a line of the file, a variable, or default.'),
    file: nullable(text('Whole path of the settings file; null if the daemon was started without one.')),
    lines: text('The lines to write: the table and the key, with the value as it is or one to begin with.'),
    variable: text('The variable that wins over the file.'),
    takes: text('What it may be.'),
    description: text('What it does.'),
  },
};
export interface Setting extends ValuesOf<typeof SETTING.fields> {}
