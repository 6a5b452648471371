/** The packs that answer a submission, by the kind of media, its options and its plan. Pure. */
import type { Plan } from '../../domain/accounts/plan.ts';
import { AppError } from '../../domain/errors.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { isTranscriptionPack, type ModelPack, type ModelTask } from '../../domain/packs/model-pack.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { type AnalysisOptions, isOptionOf } from '../../domain/records/options.ts';
import type { InstalledPack } from './installed-packs.ts';

/** Tasks without which a kind cannot be judged. */
const TASKS_OF_KIND: Readonly<Record<MediaKind, readonly ModelTask[]>> = {
  image: ['image-origin'],
  video: ['image-origin'],
  audio: ['speech-origin', 'voice-activity'],
};

/** Throws `starting` before the folders are read (`usable` null), and `no_models`, naming the option or the kind. */
export function resolveModels(
  usable: readonly Pick<InstalledPack, 'pack'>[] | null,
  kind: MediaKind,
  options: AnalysisOptions,
  plan: Pick<Plan, 'models'>,
): ModelPack[] {
  if (usable === null) throw new AppError('starting', 'the appliance is starting', { retryAfterSeconds: 1 });
  const packs = usable.map(({ pack }) => pack);
  const allowed = packs.filter((pack) => isAllowed(pack, plan));
  const models = TASKS_OF_KIND[kind].flatMap((task) => {
    const found = allowed.filter((pack) => pack.task === task);
    if (found.length === 0) throw new AppError('no_models', `no installed model analyses ${kind} (${task})`);
    return found;
  });
  for (const [option, { tasks = [] }] of rowsOf(ANALYSIS_OPTIONS)) {
    if (!options[option] || !isOptionOf(kind, option)) continue;
    for (const task of tasks) {
      const found = allowed.filter((pack) => pack.task === task);
      if (found.length === 0) {
        const isInstalled = packs.some((pack) => pack.task === task);
        throw noModelFor(
          toSnakeCase(option),
          isInstalled ? `the plan allows no model for it (${task})` : `no installed model does it (${task})`,
        );
      }
      models.push(...(task === 'transcription' ? [preferred(found)] : found));
    }
  }
  // Two options may need the same detector.
  return [...new Set(models)];
}

/** One text is enough: the best model's. */
function preferred(packs: readonly ModelPack[]): ModelPack {
  const rank = (pack: ModelPack): number => (isTranscriptionPack(pack) ? pack.preference : 0);
  return packs.reduce((best, pack) => (rank(pack) > rank(best) ? pack : best));
}

/** Tasks that judge nothing, so plans need not name them. */
const DETECTOR_TASKS: readonly ModelTask[] = ['voice-activity', 'face-detection', 'transcription'];

function isAllowed({ id, task }: ModelPack, { models }: Pick<Plan, 'models'>): boolean {
  return models === 'all' || DETECTOR_TASKS.includes(task) || models.includes(id);
}

function noModelFor(field: string, description: string): AppError {
  return new AppError('no_models', `${field}: ${description}`, { fields: [{ field, description }] });
}
