/** Checks whether a file could be analysed, as a submission does; nothing is stored or charged. */
import { enabledOptions } from '../../domain/accounts/price.ts';
import type { MediaValidation } from '../../domain/answers/record.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { isDetectorPack } from '../../domain/packs/model-pack.ts';
import type { Principal } from '../callers/principal.ts';
import type { RawFields } from '../field-parsers.ts';
import { checkMedia } from './check-media.ts';
import { parseSubmission } from './input.ts';
import type { SubmissionParts } from './parts.ts';
import type { ReceivedMedia } from './uploads.ts';

export interface ValidateInput {
  principal: Principal;
  kind: MediaKind;
  field: string;
  media: ReceivedMedia;
  fields: RawFields;
}

export async function validateMedia(
  app: SubmissionParts,
  input: ValidateInput,
  signal: AbortSignal,
): Promise<MediaValidation> {
  const { principal, kind, field, media, fields } = input;
  const options = enabledOptions(principal.plan, parseSubmission(kind, fields).options);
  const judged = checkMedia(app, { principal, kind, field, media, options }, signal);
  const { probe, packs } = await judged.catch(async (error: unknown) => {
    await media.noteEnd?.({ error });
    throw error;
  });
  return {
    valid: true,
    sizeBytes: media.sizeBytes,
    mime: probe.mime,
    width: kind === 'audio' ? null : probe.width,
    height: kind === 'audio' ? null : probe.height,
    // Detectors judge nothing.
    models: packs.flatMap((pack) => (isDetectorPack(pack) ? [] : [pack.id])),
  };
}
