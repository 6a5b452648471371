/** Which packs answer a submission: by the kind of media, by what it asks for, by what the plan allows. Pure. */
import { AppError } from '../domain/errors.ts';
import type { MediaKind } from '../domain/media.ts';
import type { ModelPack, ModelTask } from '../domain/model-pack.ts';
import { type AnalysisOptions, OPTIONS_OF_KIND } from '../domain/options.ts';
import type { Plan } from '../domain/plan.ts';
import type { InstalledPack } from './packs.ts';

/** Tasks without which a kind cannot be judged at all; no entry runs yet for a kind with none. */
const TASK_OF_KIND: Readonly<Record<MediaKind, ModelTask | null>> = {
  image: 'image-origin',
  video: null,
  audio: 'speech-origin',
};

/** Options that need a model of their own, with their names on the wire. */
const TASK_OF_OPTION: readonly { option: keyof AnalysisOptions; field: string; task: ModelTask }[] = [
  { option: 'withMorphing', field: 'with_morphing', task: 'face-origin' },
  { option: 'withTampering', field: 'with_tampering', task: 'image-tampering' },
  { option: 'withNsfw', field: 'with_nsfw', task: 'nsfw' },
  { option: 'withAudio', field: 'with_audio', task: 'speech-origin' },
];

/** Throws `no_models`, which names the option or the kind that nothing installed answers. */
export function resolveModels(
  installed: readonly Pick<InstalledPack, 'pack'>[],
  kind: MediaKind,
  options: AnalysisOptions,
  plan: Pick<Plan, 'models'>,
): ModelPack[] {
  const packs = installed.map(({ pack }) => pack);
  const allowed = packs.filter(({ id }) => plan.models === 'all' || plan.models.includes(id));
  const task = TASK_OF_KIND[kind];
  const models = allowed.filter((pack) => pack.task === task);
  if (models.length === 0) throw new AppError('no_models', `no installed model analyses ${kind}`);
  for (const wanted of TASK_OF_OPTION) {
    if (!options[wanted.option] || !OPTIONS_OF_KIND[kind].includes(wanted.option)) continue;
    const found = allowed.filter((pack) => pack.task === wanted.task);
    if (found.length === 0) throw noModelFor(wanted.field, wanted.task);
    models.push(...found);
  }
  return models;
}

function noModelFor(field: string, task: ModelTask): AppError {
  const description = `no installed model does it (${task})`;
  return new AppError('no_models', `${field}: ${description}`, { fields: [{ field, description }] });
}
