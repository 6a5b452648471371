/** The appliance and its models as they are now, one row a field. */

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
import type { ModelTask } from '../packs/model-pack.ts';
import { MEDIA_KIND } from './words.ts';

/** It moves with the work of all accounts. */
const ADMINS_ONLY = 'Null unless an administrator asks.';
const guarded = { description: ADMINS_ONLY };

export const MODEL = {
  id: identifier<string>(),
  version: text(),
  name: text(),
  /** Empty if its description cannot be read. */
  task: text<ModelTask | ''>(),
  kind: oneOf(MEDIA_KIND),
  provider: nullable(text({ description: 'What really runs it.' })),
  precision: nullable(
    text<'full' | 'half'>({ description: '`full` or `half`; null while it is out of service.' }),
  ),
  precisionNote: nullable(text({ description: 'Why it runs in full precision although half is wanted.' })),
  preparing: nullable(
    text({
      description: 'Providers that are being prepared for it, and since when, while `provider` answers.',
    }),
  ),
  resident: nullable(
    flag({
      description: `Whether it is in memory now; one that was let go is brought up by the next request. ${ADMINS_ONLY}`,
    }),
  ),
  fault: nullable(text({ description: 'Why it is out of service.' })),
  licence: text(),
  /** Pixels; 0 for a model that hears. */
  minimumShortSide: nullable(whole()),
  source: text({ description: 'Where it comes from.' }),
  weight: number({ description: 'What its answer counts; 0 where it judges no origin.' }),
  added: flag({ description: 'Whether it was added here, and can be removed.' }),
  sha256: text({ description: 'Hash of its model file; empty if its description cannot be read.' }),
  figures: json<readonly object[]>({
    description: "Error rates from the model's card, one row for each quality of media.",
  }),
};

export interface ModelStatus extends ValuesOf<typeof MODEL> {}

export const PICTURE_INDEX = {
  name: 'PictureIndex',
  description:
    'What a search with a picture looks through, and how far what was analysed before it has come.',
  fields: {
    pictures: whole({ description: 'Pictures and frames that are found by a part.' }),
    bytes: long({ description: 'Memory of their index.' }),
    damaged: whole({ description: 'Rows that are damaged and left out.' }),
    looked: whole({ description: 'Earlier analyses that were looked at since the start, of `total`.' }),
    total: whole(),
    learned: whole({ description: 'Earlier records that were described since the start.' }),
    gone: whole({ description: 'Earlier records whose file or frames are not kept: found as a whole only.' }),
    unreadable: whole({ description: 'Earlier records that could not be decoded; tried at the next start.' }),
    isDone: flag({ description: 'Whether all earlier records are described.' }),
  },
};

export const APPLIANCE = {
  version: text(),
  apiVersion: text(),
  phase: text(),
  notReadyReason: nullable(text()),
  isolation: nullable(text(guarded)),
  videoDecoder: nullable(
    text({
      description: `\`cpu\`, \`nvdec\`, or \`cpu: \` with the reason why it is not the GPU. ${ADMINS_ONLY}`,
    }),
  ),
  queueDepth: nullable(whole(guarded)),
  running: nullable(whole(guarded)),
  uptimeSeconds: nullable(number(guarded)),
  /** Memory of the daemon itself; mapped database pages are not its own. */
  rssAnonBytes: nullable(long(guarded)),
  diskFreeBytes: nullable(long(guarded)),
  search: nullable(nounOf(PICTURE_INDEX, guarded)),
  models: listOf(noun<ModelStatus>('Model')),
};

export const CATALOGUE_ENTRY = {
  name: 'CatalogueEntry',
  fields: {
    name: identifier<string>(),
    title: text(),
    homepage: text(),
    address: text({ description: 'Where its file is fetched from.' }),
    sha256: text(),
    bytesMax: long(),
    sizeBytes: long({ description: 'Size of the file; 0 if it is not known.' }),
    licence: text(),
    licenceAccept: text({
      description: 'A licence that forbids some uses: addModel must name it. Empty where there is none.',
    }),
    task: text({ description: 'What it judges.' }),
    family: text({
      description: 'Models of one family share their errors and have one voice; empty where it has no other.',
    }),
    measured: listOf(text({ description: 'Who measured what, on which media.' })),
    installed: flag(),
  },
};
export interface CatalogueListing extends ValuesOf<typeof CATALOGUE_ENTRY.fields> {}

export const BENCHED_MODEL = {
  name: 'BenchedModel',
  fields: {
    id: identifier<string>(),
    version: text(),
    provider: text({ description: 'What really ran it.' }),
    items: whole({ description: 'Patches, windows or pictures that were run.' }),
    itemsPerSecond: number(),
    singleMs: number({ description: 'Milliseconds of one item alone.' }),
    error: text({ description: 'Why it could not be measured; empty where it was.' }),
  },
};
export interface BenchedModel extends ValuesOf<typeof BENCHED_MODEL.fields> {}

const FINDING_STATE = { name: 'FindingState', words: ['good', 'notice', 'bad'] } as const satisfies Choice;

export const FINDING = {
  name: 'Finding',
  fields: {
    name: text({ description: 'What was looked at.' }),
    state: oneOf(FINDING_STATE),
    found: text(),
    advice: text({ description: 'What to do; empty where all is good.' }),
  },
};
export interface Finding extends ValuesOf<typeof FINDING.fields> {}
