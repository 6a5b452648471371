/** The common checks of a submission and a validation: kind and type by content, size, pixels, models. */
import { AppError, tooLarge } from '../../domain/errors.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { sniffMediaType } from '../../domain/media/sniff.ts';
import type { ModelPack } from '../../domain/packs/model-pack.ts';
import type { AnalysisOptions } from '../../domain/records/options.ts';
import { resolveModels } from '../../engine/packs/resolve-models.ts';
import type { Probe } from '../../worker/protocol/decoded-media.ts';
import { assertKindEnabled } from '../callers/admission.ts';
import type { Principal } from '../callers/principal.ts';
import type { SubmissionParts } from './parts.ts';
import type { ReceivedMedia } from './uploads.ts';

export interface JudgeInput {
  principal: Principal;
  kind: MediaKind;
  field: string;
  media: ReceivedMedia;
  options: AnalysisOptions;
}

export interface JudgedMedia {
  probe: Probe;
  packs: ModelPack[];
}

/** Throws the documented error for each fault, cheapest check first. */
export async function checkMedia(
  app: SubmissionParts,
  input: JudgeInput,
  signal: AbortSignal,
): Promise<JudgedMedia> {
  const { principal, kind, field, media, options } = input;
  assertKindEnabled(principal, kind);
  const bytesMax = principal.plan.fileBytesMax[kind];
  if (media.sizeBytes > bytesMax) throw tooLarge(field, media.sizeBytes, bytesMax);
  const packs = resolveModels(app.shelf.usable, kind, options, principal.plan);
  const { options: allowed, videoHeightMin } = principal.plan;
  const allowsForeignTypes = allowed.includes('foreign_types');
  return await onField(field, async () => {
    const probe = await app.looks.probe(media, signal, principal.account.id);
    app.looks.checkProbe(probe, { kind, packs, allowsForeignTypes, videoHeightMin });
    return { probe, packs };
  });
}

/** Reports the engine's faults of the file under the field. */
async function onField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.fields.length > 0) throw error;
    throw new AppError(error.reason, error.message, {
      fields: [{ field, description: error.message }],
      metadata: error.metadata,
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      cause: error,
    });
  }
}

/** The kind by content, for callers who need not name it; a container whose head does not show it is probed. */
export async function findKind(
  app: SubmissionParts,
  { principal, media, field }: Pick<JudgeInput, 'principal' | 'media' | 'field'>,
  signal: AbortSignal,
): Promise<MediaKind> {
  if (sniffMediaType(media.head)?.kind === 'image') return 'image';
  const { kind } = await onField(field, () => app.looks.probe(media, signal, principal.account.id));
  return kind;
}
