/** The appliance and its models as they are now, one row a field. */
import type { ModelTask } from '../packs/model-pack.ts';
import {
  flag,
  identifier,
  json,
  listOf,
  long,
  noun,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from './field.ts';
import { MEDIA_KIND } from './words.ts';

export const MODEL = {
  id: identifier<string>(),
  version: text(),
  name: text(),
  /** Empty where its description cannot be read. */
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
  resident: flag({
    description: 'Whether it is in memory now; one that was let go is brought up by the next request.',
  }),
  fault: nullable(text({ description: 'Why it is out of service.' })),
  licence: text(),
  /** Pixels; 0 for a model that hears. */
  minimumShortSide: nullable(whole()),
  source: text({ description: 'Where it comes from.' }),
  weight: number({ description: 'What its answer counts; 0 where it judges no origin.' }),
  added: flag({ description: 'Whether it was added here, and can be removed.' }),
  sha256: text({ description: 'Of its model file; empty where its description cannot be read.' }),
  figures: json<readonly object[]>({
    description: "Error rates from the model's card, one row for each quality of media.",
  }),
};

export interface ModelStatus extends ValuesOf<typeof MODEL> {}

export const APPLIANCE = {
  version: text(),
  apiVersion: text(),
  phase: text(),
  notReadyReason: nullable(text()),
  isolation: nullable(text()),
  videoDecoder: text({ description: '`cpu`, `nvdec`, or `cpu: ` with the reason why it is not the GPU.' }),
  queueDepth: whole(),
  running: whole(),
  uptimeSeconds: number(),
  /** Memory of the daemon itself; mapped database pages are not its own. */
  rssAnonBytes: long(),
  diskFreeBytes: long(),
  models: listOf(noun<ModelStatus>('Model')),
};
