/** Uploads: submitted, submitted and followed, or only validated. */
import type { App } from '../../app/appliance/app.ts';
import { admitMedia, type MediaIntent } from '../../app/callers/admission.ts';
import { watchClassification } from '../../app/records/watch.ts';
import { submitMedia } from '../../app/submissions/submit.ts';
import { validateMedia } from '../../app/submissions/validate.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { badField } from '../../domain/errors.ts';
import type { Handlers } from '../../grpc/definition.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { toMessage } from '../../grpc/messages.ts';
import { duplex, type GrpcContext, upload } from './calls.ts';
import { toUpdates } from './classifications.ts';
import { toClassification } from './convert.ts';
import { requireKind } from './enums.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { MEDIA_FIELD, receiveUpload, toFields, type UploadInput } from './uploads.ts';

const { method } = ClassificationService;

type Methods = 'submitMedia' | 'classifyMedia' | 'validateMedia';

export function submissionHandlers(
  context: GrpcContext,
): Pick<Handlers<typeof ClassificationService>, Methods> {
  const { app } = context;
  return {
    submitMedia: upload(context, method.submitMedia, async ({ signal, ...input }) => ({
      classification: toClassification(await submitUpload(context, input, signal)),
    })),
    classifyMedia: duplex(context, method.classifyMedia, async function* ({ signal, ...input }) {
      const { identifier } = await submitUpload(context, input, signal);
      const { principal } = input;
      const records = watchClassification(app, { principal, identifier }, signal);
      for await (const value of toUpdates(app, records)) {
        yield { update: { case: 'classification' as const, value } };
      }
    }),
    validateMedia: upload(context, method.validateMedia, ({ signal, ...input }) =>
      validateUpload(context, input, signal),
    ),
  };
}

async function submitUpload(
  { app }: GrpcContext,
  input: UploadInput,
  signal: AbortSignal,
): Promise<ClassificationRecord> {
  using _upload = await admit(app, 'submit', input);
  const { header, kind, media } = await receiveUpload(app, { ...input, purpose: 'submit' }, signal);
  await using _media = media;
  const submission = {
    principal: input.principal,
    facade: 'grpc' as const,
    kind,
    field: media === undefined ? 'header.source_url' : MEDIA_FIELD,
    media,
    manifest: header.manifest,
    fields: toFields(header),
  };
  // A committed upload is accepted: a caller that leaves now ends only its watch.
  return await submitMedia(app, submission, new AbortController().signal);
}

/** Refuses before the first message if the caller alone decides, else before the first chunk, by the header. */
async function admit(
  app: App,
  purpose: MediaIntent['purpose'],
  { principal }: UploadInput,
): Promise<Disposable> {
  await admitMedia(app, principal, { purpose });
  return app.openUploads.open(principal.account.id);
}

async function validateUpload({ app }: GrpcContext, input: UploadInput, signal: AbortSignal) {
  using _upload = await admit(app, 'validate', input);
  const { header, media } = await receiveUpload(app, { ...input, purpose: 'validate' }, signal);
  await using _media = media;
  const kind = requireKind(header.kind, 'header.kind');
  if (media === undefined) throw badField('header.source_url', 'expected a file in chunks, found an address');
  const { principal } = input;
  const fields = toFields(header);
  const validation = await validateMedia(app, { principal, kind, field: MEDIA_FIELD, media, fields }, signal);
  return toMessage(method.validateMedia.output, validation, EXCEPTIONS);
}
