/** The marks of files, what became of them in a copy, and the label that a piece needs. */
import { admitMedia } from '../../../app/callers/admission.ts';
import { compareRecordAnswers, compareRecords } from '../../../app/records/marks.ts';
import { type FileMarks, readMarks } from '../../../app/submissions/read-marks.ts';
import { badField } from '../../../domain/errors.ts';
import {
  type AiPart,
  adviseLabel,
  completeQuestion,
  type LabelledKind,
} from '../../../domain/verdicts/article-50.ts';
import type { Handlers } from '../../../grpc/definition.ts';
import {
  AiPartSchema,
  LabelledKindSchema,
  MarksService,
} from '../../../grpc/gen/assay/v1/marks_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { type GrpcContext, unary, upload } from '../calls.ts';
import { fromEnum } from '../enums.ts';
import { MEDIA_FIELD, receiveUpload } from '../uploads.ts';

const { method } = MarksService;

const EXCEPTIONS = { 'assay.v1.ReadMarksResponse': { mimetype: ({ mime }: FileMarks) => mime } };

export function markHandlers(context: GrpcContext): Handlers<typeof MarksService> {
  const { app } = context;
  return {
    readMarks: upload(context, method.readMarks, async ({ principal, messages, signal }) => {
      await admitMedia(app, principal, { purpose: 'validate' });
      using _upload = app.openUploads.open(principal.account.id);
      const { media } = await receiveUpload(app, { principal, messages, purpose: 'validate' }, signal);
      await using _media = media;
      if (media === undefined) {
        throw badField('header.source_url', 'expected a file in chunks, found an address');
      }
      const read = await readMarks(app, { principal, field: MEDIA_FIELD, media }, signal);
      return toMessage(method.readMarks.output, read, EXCEPTIONS);
    }),
    compareMarks: unary(context, method.compareMarks, ({ principal, request }) => {
      const { identifier, originalIdentifier } = request;
      const records = { principal, identifier, originalIdentifier };
      const changes = compareRecords(app, records);
      return toMessage(method.compareMarks.output, { changes, answers: compareRecordAnswers(app, records) });
    }),
    adviseLabel: unary(context, method.adviseLabel, ({ request }) => {
      const kind = fromEnum<LabelledKind>(LabelledKindSchema, request.kind, 'kind');
      if (kind === undefined) throw badField('kind', 'expected image, video, audio or text, found none');
      const part = fromEnum<AiPart>(AiPartSchema, request.part, 'part');
      const advice = adviseLabel(completeQuestion(kind, part, request));
      return toMessage(method.adviseLabel.output, advice);
    }),
  };
}
