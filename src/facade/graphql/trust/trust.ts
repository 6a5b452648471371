/** Trust lists: listed, searched, added, updated, switched on or off, removed. */
import {
  addTrustList,
  findTrustedCertificates,
  listTrustLists,
  previewTrustListUpdate,
  removeTrustList,
  setTrustListOn,
  updateTrustList,
} from '../../../app/trust/trust-lists.ts';
import {
  TRUST_LIST,
  TRUST_LIST_DIFF,
  TRUST_LIST_KIND,
  TRUSTED_CERTIFICATE,
  type TrustListDiff,
  type TrustListView,
} from '../../../domain/contract/trust.ts';
import type { TrustedCertificate, TrustListKind } from '../../../domain/provenance/trust-list.ts';
import { builder, enumOf } from '../builder.ts';
import { defineNoun } from '../nouns.ts';
import { countCall, settleCall } from '../transport/calls.ts';
import { definePayload } from '../transport/payloads.ts';

const CONTENT = 'Certificates in PEM, or the C2PA’s list of conforming products as JSON.';
const DATE = 'Day of its publication, YYYY-MM-DD.';

const listType = defineNoun<TrustListView>({
  name: 'TrustList',
  description: 'Whose signatures and time stamps in manifests count.',
  fields: TRUST_LIST,
});
const certificateType = defineNoun<TrustedCertificate>({
  name: 'TrustedCertificate',
  fields: TRUSTED_CERTIFICATE,
});
const diffType = defineNoun<TrustListDiff>({
  name: 'TrustListDiff',
  description: 'What a newer edition of a list would change.',
  fields: TRUST_LIST_DIFF,
});
const payloadType = definePayload<TrustListView>('TrustList', 'list', listType);

export function addTrustQueries(): void {
  builder.queryFields((t) => ({
    trustLists: t.field({
      type: [listType],
      nullable: true,
      resolve: (_, _args, context) =>
        countCall(context, 'trustLists', () => {
          context.principal();
          return listTrustLists(context.app);
        }),
    }),
    trustListDiff: t.field({
      type: diffType,
      nullable: true,
      description:
        'What a newer edition would change, and whose signatures it would drop. Administrators only.',
      args: {
        id: t.arg.id({ required: true }),
        content: t.arg.string({ required: true, description: CONTENT }),
      },
      resolve: (_, { id, content }, context) =>
        countCall(context, 'trustListDiff', () =>
          previewTrustListUpdate(context.app, {
            ...{ principal: context.principal(), id: String(id) },
            content: Buffer.from(content),
          }),
        ),
    }),
    trustedCertificates: t.field({
      type: [certificateType],
      nullable: true,
      description: 'By a fingerprint or its beginning, or by a part of a name; at most 100.',
      args: { text: t.arg.string({ required: true }) },
      resolve: (_, { text }, context) =>
        countCall(context, 'trustedCertificates', () => {
          context.principal();
          return findTrustedCertificates(context.app, text);
        }),
    }),
  }));
}

export function addTrustMutations(): void {
  addContentMutations();
  builder.mutationFields((t) => ({
    setTrustListOn: t.field({
      type: payloadType,
      nullable: true,
      description: 'Administrators only.',
      args: { id: t.arg.id({ required: true }), isOn: t.arg.boolean({ required: true }) },
      resolve: (_, { id, isOn }, context) =>
        settleCall(context, 'setTrustListOn', () =>
          setTrustListOn(context.app, { principal: context.principal(), id: String(id), isOn }),
        ),
    }),
    removeTrustList: t.field({
      type: payloadType,
      nullable: true,
      description: 'Only a list that was added. Administrators only.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'removeTrustList', async () => {
          const list = listTrustLists(context.app).find((one) => one.id === String(id));
          await removeTrustList(context.app, { principal: context.principal(), id: String(id) });
          return list as TrustListView;
        }),
    }),
  }));
}

function addContentMutations(): void {
  builder.mutationFields((t) => ({
    addTrustList: t.field({
      type: payloadType,
      nullable: true,
      description: 'A list of one’s own. Administrators only.',
      args: {
        id: t.arg.id({ required: true, description: '1 to 40 lower-case letters, digits and dashes.' }),
        kind: t.arg({ type: enumOf(TRUST_LIST_KIND), required: true }),
        content: t.arg.string({ required: true, description: CONTENT }),
        date: t.arg.string({ required: true, description: DATE }),
        name: t.arg.string({ defaultValue: '' }),
        source: t.arg.string({ defaultValue: '' }),
        terms: t.arg.string({ defaultValue: '' }),
        single: t.arg.boolean({
          defaultValue: false,
          description: 'The certificates count by themselves, as those of publishers.',
        }),
      },
      resolve: (_, { id, kind, content, date, name, source, terms, single }, context) =>
        settleCall(context, 'addTrustList', () =>
          addTrustList(context.app, {
            ...{ principal: context.principal(), id: String(id), date },
            ...{ kind: kind as TrustListKind, content: Buffer.from(content) },
            ...{ name: name ?? '', source: source ?? '', terms: terms ?? '', single: single ?? false },
          }),
        ),
    }),
    updateTrustList: t.field({
      type: payloadType,
      nullable: true,
      description: 'Puts a newer edition in the place of a list. Administrators only.',
      args: {
        id: t.arg.id({ required: true }),
        content: t.arg.string({
          required: true,
          description: `${CONTENT} Empty: the edition that came with Assay.`,
        }),
        date: t.arg.string({ defaultValue: '', description: DATE }),
        dropSeen: t.arg.boolean({
          defaultValue: false,
          description: 'Otherwise it is refused where it drops a signer of a record here.',
        }),
      },
      resolve: (_, { id, content, date, dropSeen }, context) =>
        settleCall(context, 'updateTrustList', () =>
          updateTrustList(context.app, {
            ...{ principal: context.principal(), id: String(id), date: date ?? '' },
            ...{ content: Buffer.from(content), dropSeen: dropSeen ?? false },
          }),
        ),
    }),
  }));
}
