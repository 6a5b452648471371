/** Trust lists: listed, searched, and switched on or off. Files of lists go by gRPC and the command line. */
import {
  findTrustedCertificates,
  listTrustLists,
  removeTrustList,
  setTrustListOn,
} from '../../../app/trust/trust-lists.ts';
import { TRUST_LIST, TRUSTED_CERTIFICATE, type TrustListView } from '../../../domain/contract/trust.ts';
import type { TrustedCertificate } from '../../../domain/provenance/trust-list.ts';
import { builder } from '../builder.ts';
import { defineNoun } from '../nouns.ts';
import { countCall, settleCall } from '../transport/calls.ts';
import { definePayload } from '../transport/payloads.ts';

const listType = defineNoun<TrustListView>({
  name: 'TrustList',
  description: 'Whose signatures and time stamps in manifests count.',
  fields: TRUST_LIST,
});
const certificateType = defineNoun<TrustedCertificate>({
  name: 'TrustedCertificate',
  fields: TRUSTED_CERTIFICATE,
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
