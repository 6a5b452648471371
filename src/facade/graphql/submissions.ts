/** The mutations that take a file: submitMedia and validateMedia. */
import { admitMedia } from '../../app/callers/admission.ts';
import type { Principal } from '../../app/callers/principal.ts';
import { followStanding, type StandingNeeds } from '../../app/callers/standing.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { parseSidecar, readSidecar, SIDECAR_FIELD } from '../../app/submissions/sidecar.ts';
import { submitMedia } from '../../app/submissions/submit.ts';
import { type ReceivedMedia, receiveMedia } from '../../app/submissions/uploads.ts';
import { validateMedia } from '../../app/submissions/validate.ts';
import {
  type ClassificationRecord,
  MEDIA_VALIDATION,
  type MediaValidation,
} from '../../domain/answers/record.ts';
import { badField } from '../../domain/errors.ts';
import { nounOf } from '../../domain/field.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { one } from '../../operations/operation.ts';
import { builder, mediaKindEnum, priorityEnum } from './builder.ts';
import { inputFieldsOf } from './nouns.ts';
import { payloadOf, payloadTypeOf } from './operations.ts';
import { settleCall } from './transport/calls.ts';
import type { GraphqlContext } from './transport/context.ts';
import { toRawFields } from './transport/input.ts';

const optionsInput = builder.inputType('AnalysisOptionsInput', {
  description: 'What is not named stays at its default; options of another kind of media are ignored.',
  fields: (t) => inputFieldsOf(t, ANALYSIS_OPTIONS),
});

const submitInput = builder.inputType('SubmitMediaInput', {
  description: 'Either file or fileUrl.',
  fields: (t) => ({
    file: t.field({ type: 'Upload' }),
    fileUrl: t.string(),
    manifest: t.field({
      type: 'Upload',
      description:
        'A C2PA manifest that lies beside the file (a .c2pa file). One within the file counts before it.',
    }),
    kind: t.field({ type: mediaKindEnum, description: 'Found out from the file where it is not given.' }),
    refId: t.string(),
    options: t.field({ type: optionsInput }),
    webhookUrl: t.string(),
    noCache: t.boolean({ description: 'Analyse anew although an equal analysis is known.' }),
    priority: t.field({ type: priorityEnum, description: 'INTERACTIVE where it is not given.' }),
    deskId: t.id({
      description:
        'The desk that the record belongs to; 0: none. Not given: the first desk of the account in which it may submit.',
    }),
    requestId: t.string({ description: 'A repeated submission with it answers with the first record.' }),
  }),
});

const validateInput = builder.inputType('ValidateMediaInput', {
  fields: (t) => ({
    file: t.field({ type: 'Upload', required: true }),
    kind: t.field({ type: mediaKindEnum, required: true }),
    options: t.field({ type: optionsInput }),
  }),
});

export function addSubmissionMutations(): void {
  builder.mutationFields((t) => ({
    submitMedia: t.field({
      type: payloadTypeOf<ClassificationRecord>('cancelClassification'),
      nullable: true,
      description: 'Takes a file or an address and answers as soon as the work is accepted.',
      args: { input: t.arg({ type: submitInput, required: true }) },
      resolve: (_, { input }, context) => settleCall(context, 'submitMedia', () => submit(context, input)),
    }),
    validateMedia: t.field({
      type: payloadOf<MediaValidation>({
        payload: 'ValidateMedia',
        answer: one('validation', nounOf(MEDIA_VALIDATION)),
      }),
      nullable: true,
      description: 'Says whether a file would be accepted, and keeps nothing.',
      args: { input: t.arg({ type: validateInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'validateMedia', () => validate(context, input)),
    }),
  }));
}

interface SubmitInput {
  file?: string | null | undefined;
  fileUrl?: string | null | undefined;
  manifest?: string | null | undefined;
  kind?: MediaKind | null | undefined;
  options?: object | null | undefined;
  requestId?: string | null | undefined;
}

async function submit(context: GraphqlContext, input: SubmitInput): Promise<ClassificationRecord> {
  const { app, signal } = context;
  const principal = context.principal();
  const hasFile = input.file !== null && input.file !== undefined;
  const hasAddress = input.fileUrl !== null && input.fileUrl !== undefined;
  if (hasFile === hasAddress) throw badField('file', 'expected either file or fileUrl');
  const kind = input.kind ?? undefined;
  await admitMedia(app, principal, { purpose: 'submit', kind, requestId: input.requestId });
  await using media = hasFile ? await receiveUpload(context, input.file ?? '', { writes: true }) : undefined;
  const manifest = await receiveManifest(context, input.manifest ?? null);
  const call = {
    principal,
    facade: 'graphql' as const,
    kind,
    field: hasFile ? 'file' : 'file_url',
    media,
    manifest,
    fields: toSubmitFields(input),
  };
  return await submitMedia(app, call, signal);
}

interface ValidateInput {
  file: string;
  kind: MediaKind;
  options?: object | null | undefined;
}

async function validate(context: GraphqlContext, input: ValidateInput): Promise<MediaValidation> {
  const principal = context.principal();
  const { kind } = input;
  await admitMedia(context.app, principal, { purpose: 'validate', kind });
  await using media = await receiveUpload(context, input.file);
  const call = { principal, kind, field: 'file', media, fields: toOptionFields(input.options) };
  return await validateMedia(context.app, call, context.signal);
}

async function receiveManifest(
  { uploads }: GraphqlContext,
  token: string | null,
): Promise<Uint8Array | undefined> {
  if (token === null) return undefined;
  const upload = uploads.get(token);
  if (upload === undefined) throw badField(SIDECAR_FIELD, 'expected a file part of a multipart request');
  const bytes = await readSidecar(upload.bytes);
  // An empty manifest is a mistake; sending none is not.
  return parseSidecar(bytes).bytes;
}

export async function receiveUpload(
  { app, principal, uploads, signal }: GraphqlContext,
  token: string,
  needs: StandingNeeds = {},
): Promise<ReceivedMedia> {
  const upload = uploads.get(token);
  if (upload === undefined) throw badField('file', 'expected a file part of a multipart request');
  const { name, bytes } = upload;
  const sender = principal();
  using standing = followStanding(app, sender, needs);
  const ends = AbortSignal.any([signal, standing.signal]);
  return await receiveMedia(app, { principal: sender, field: 'file', name, bytes }, ends);
}

export interface LookedAt {
  principal: Principal;
  field: string;
  media: ReceivedMedia;
}

/** Gives `look` a file that is neither kept nor analysed. */
export async function lookAtUpload<T>(
  context: GraphqlContext,
  token: string,
  look: (file: LookedAt) => Promise<T>,
): Promise<T> {
  const principal = context.principal();
  await admitMedia(context.app, principal, { purpose: 'validate' });
  await using media = await receiveUpload(context, token);
  return await look({ principal, field: 'file', media });
}

/** The options that were given: absent and null are the same. */
function toOptionFields(options: object | null | undefined): RawFields {
  const said = Object.entries(options ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return toRawFields(Object.fromEntries(said));
}

function toSubmitFields({ options, ...said }: { options?: object | null | undefined }): RawFields {
  return { ...toOptionFields(said), ...toOptionFields(options) };
}
