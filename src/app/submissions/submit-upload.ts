/** Submits an upload that was received in pieces, under the fields that it was begun with. */
import { badField } from '../../domain/errors.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media/media.ts';
import type { Principal } from '../callers/principal.ts';
import { type RawFields, show } from '../field-parsers.ts';
import type { SubmissionParts } from './parts.ts';
import { submitMedia } from './submit.ts';
import { findUpload, finishUpload, type UploadName } from './unfinished-uploads.ts';

/** The field that faults of the bytes name. */
const FIELD = 'file';

export interface SubmitUploadInput extends UploadName {
  principal: Principal;
}

/** Resolves with the identifier of its record, even if an earlier call has submitted it. */
export async function submitUpload(app: SubmissionParts, input: SubmitUploadInput): Promise<string> {
  const upload = findUpload(app, input);
  if (upload.identifier !== null) return upload.identifier;
  const { submitting } = app;
  const submitted = submitting.get(upload) ?? submit(app, input).finally(() => submitting.delete(upload));
  submitting.set(upload, submitted);
  return await submitted;
}

async function submit(app: SubmissionParts, input: SubmitUploadInput): Promise<string> {
  const { principal } = input;
  // A whole upload is accepted: a caller that leaves now ends nothing.
  const { signal } = new AbortController();
  const { fields } = findUpload(app, input);
  await using media = await finishUpload(app, { ...input, field: FIELD }, signal);
  const submission = {
    principal,
    facade: 'rest' as const,
    kind: parseKind(fields),
    field: FIELD,
    media,
    fields,
  };
  const { identifier } = await submitMedia(app, submission, signal);
  return identifier;
}

/** Undefined if the content decides. */
export function parseKind({ kind }: RawFields): MediaKind | undefined {
  if (kind === undefined || kind === null || kind === '') return undefined;
  const found = MEDIA_KINDS.find((name) => name === kind);
  if (found !== undefined) return found;
  throw badField('kind', `expected image, video or audio, found ${show(kind)}`);
}
