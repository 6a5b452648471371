/** The mutations that set a person's verdict on a file and take it back, and those of another person's sign-off. */
import { overrideClassification, overrideHistory, removeOverride } from '../../app/records/overrides.ts';
import { answerSignOff, askSignOff } from '../../app/records/sign-offs.ts';
import type { OverrideResult } from '../../domain/records/record.ts';
import type { FindingEntry, SignOff } from '../../domain/records/sign-off.ts';
import { builder, labelEnum, mediaKindEnum } from './builder.ts';
import { classificationPayloadType } from './classifications.ts';
import { findType } from './nouns.ts';
import { countCall, type Payload, settleCall } from './transport/calls.ts';
import { userErrorType } from './transport/user-errors.ts';

const overrideType = builder.objectRef<OverrideResult>('Override').implement({
  fields: (t) => ({
    classification: t.expose('classification', { type: labelEnum }),
    kind: t.expose('type', { type: mediaKindEnum }),
    hash: t.exposeString('hash'),
  }),
});

const overridePayloadType = builder.objectRef<Payload<OverrideResult>>('OverridePayload').implement({
  fields: (t) => ({
    override: t.field({ type: overrideType, nullable: true, resolve: (payload) => payload.value }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

const overrideInput = builder.inputType('OverrideClassificationInput', {
  description: 'Holds for every record of the account with this kind and hash.',
  fields: (t) => ({
    kind: t.field({ type: mediaKindEnum, required: true }),
    hash: t.string({ required: true }),
    classification: t.field({ type: labelEnum, required: true }),
    reason: t.string(),
  }),
});

const removeInput = builder.inputType('RemoveOverrideInput', {
  fields: (t) => ({
    kind: t.field({ type: mediaKindEnum, required: true }),
    hash: t.string({ required: true }),
  }),
});

const overrideEntryType = builder.objectRef<FindingEntry>('OverrideEntry').implement({
  fields: (t) => ({
    classification: t.expose('classification', { type: labelEnum }),
    reason: t.exposeString('reason'),
    at: t.expose('at', { type: 'DateTime' }),
    byAccountId: t.id({ resolve: ({ byAccountId }) => String(byAccountId) }),
    measured: t.expose('measured', {
      type: labelEnum,
      nullable: true,
      description: 'The verdict that was measured then; null where there was none.',
    }),
    signOff: t.field({
      type: findType<SignOff>('SignOff'),
      nullable: true,
      description: 'Null where none was asked for.',
      resolve: ({ signOff }) => signOff,
    }),
  }),
});

const answerInput = builder.inputType('AnswerSignOffInput', {
  fields: (t) => ({
    identifier: t.id({ required: true }),
    findingAt: t.field({
      type: 'DateTime',
      required: true,
      description: 'Of the finding that was read: one that was stated meanwhile is not answered.',
    }),
    agrees: t.boolean({ required: true }),
    reason: t.string({ description: 'Needed to disagree.' }),
  }),
});

export function addOverrideQueries(): void {
  builder.queryField('overrides', (t) =>
    t.field({
      type: [overrideEntryType],
      nullable: true,
      description: 'Every statement on a file, oldest first; replaced and removed ones included.',
      args: {
        kind: t.arg({ type: mediaKindEnum, required: true }),
        hash: t.arg.string({ required: true }),
      },
      resolve: (_, { kind, hash }, context) =>
        countCall(context, 'overrides', () =>
          overrideHistory(context.app, { principal: context.principal(), kind, hash }),
        ),
    }),
  );
}

export function addOverrideMutations(): void {
  builder.mutationFields((t) => ({
    overrideClassification: t.field({
      type: overridePayloadType,
      nullable: true,
      args: { input: t.arg({ type: overrideInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'overrideClassification', () => {
          const { kind, hash, classification } = input;
          const reason = input.reason === null || input.reason === undefined ? {} : { reason: input.reason };
          const principal = context.principal();
          return overrideClassification(context.app, { principal, kind, hash, classification, ...reason });
        }),
    }),
    removeOverride: t.field({
      type: overridePayloadType,
      nullable: true,
      args: { input: t.arg({ type: removeInput, required: true }) },
      resolve: (_, { input: { kind, hash } }, context) =>
        settleCall(context, 'removeOverride', () =>
          removeOverride(context.app, { principal: context.principal(), kind, hash }),
        ),
    }),
  }));
}

export function addSignOffMutations(): void {
  builder.mutationFields((t) => ({
    askSignOff: t.field({
      type: classificationPayloadType,
      nullable: true,
      description:
        'Asks the partner of the account and the administrators to sign off the finding that stands; they may read the records of the file from then on.',
      args: { identifier: t.arg.id({ required: true }) },
      resolve: (_, { identifier }, context) =>
        settleCall(context, 'askSignOff', () =>
          askSignOff(context.app, { principal: context.principal(), identifier }),
        ),
    }),
    answerSignOff: t.field({
      type: classificationPayloadType,
      nullable: true,
      args: { input: t.arg({ type: answerInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'answerSignOff', () => {
          const { identifier, findingAt, agrees, reason } = input;
          const answer = { identifier, findingAt, agrees, reason: reason ?? undefined };
          return answerSignOff(context.app, { principal: context.principal(), ...answer });
        }),
    }),
  }));
}
