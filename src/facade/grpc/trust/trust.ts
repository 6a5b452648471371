/** Trust lists. */
import {
  addTrustList,
  findTrustedCertificates,
  listTrustLists,
  previewTrustListUpdate,
  removeTrustList,
  setTrustListOn,
  updateTrustList,
} from '../../../app/trust/trust-lists.ts';
import { badField } from '../../../domain/errors.ts';
import type { TrustListKind } from '../../../domain/provenance/trust-list.ts';
import type { Handlers } from '../../../grpc/definition.ts';
import { TrustListKindSchema, TrustService } from '../../../grpc/gen/assay/v1/trust_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { sequencePageOf, sequenceTokenOf } from '../accounts.ts';
import { type GrpcContext, unary } from '../calls.ts';
import { fromEnum } from '../enums.ts';

const { method } = TrustService;

export function trustHandlers(context: GrpcContext): Handlers<typeof TrustService> {
  const { app } = context;
  return {
    listTrustLists: unary(context, method.listTrustLists, () =>
      toMessage(method.listTrustLists.output, { lists: listTrustLists(app) }),
    ),
    addTrustList: unary(context, method.addTrustList, async ({ principal, request }) => {
      const kind = fromEnum<TrustListKind>(TrustListKindSchema, request.kind, 'kind');
      if (kind === undefined) throw badField('kind', 'expected signers, time, signers_and_time or products');
      const list = await addTrustList(app, { ...request, principal, kind });
      return toMessage(method.addTrustList.output, { list });
    }),
    updateTrustList: unary(context, method.updateTrustList, async ({ principal, request }) => {
      const list = await updateTrustList(app, { ...request, principal });
      return toMessage(method.updateTrustList.output, { list });
    }),
    setTrustListOn: unary(context, method.setTrustListOn, async ({ principal, request }) => {
      const { id, isOn } = request;
      return toMessage(method.setTrustListOn.output, {
        list: await setTrustListOn(app, { principal, id, isOn }),
      });
    }),
    removeTrustList: unary(context, method.removeTrustList, async ({ principal, request }) => {
      await removeTrustList(app, { principal, id: request.id });
      return {};
    }),
    previewTrustListUpdate: unary(context, method.previewTrustListUpdate, async ({ principal, request }) => {
      const diff = await previewTrustListUpdate(app, { ...request, principal });
      return toMessage(method.previewTrustListUpdate.output, { diff });
    }),
    ...recheckHandlers(context),
    findTrustedCertificates: unary(context, method.findTrustedCertificates, ({ request }) =>
      toMessage(method.findTrustedCertificates.output, {
        certificates: findTrustedCertificates(app, request.text),
      }),
    ),
  };
}

type OfRecheck = 'startTrustRecheck' | 'getTrustRecheck' | 'cancelTrustRecheck' | 'listRecheckedRecords';

function recheckHandlers(context: GrpcContext): Pick<Handlers<typeof TrustService>, OfRecheck> {
  const { trustRechecks } = context.app;
  return {
    startTrustRecheck: unary(context, method.startTrustRecheck, async ({ principal }) =>
      toMessage(method.startTrustRecheck.output, { recheck: await trustRechecks.begin(principal) }),
    ),
    getTrustRecheck: unary(context, method.getTrustRecheck, ({ principal }) =>
      toMessage(method.getTrustRecheck.output, { recheck: trustRechecks.current(principal) }),
    ),
    cancelTrustRecheck: unary(context, method.cancelTrustRecheck, async ({ principal }) =>
      toMessage(method.cancelTrustRecheck.output, { recheck: await trustRechecks.cancel(principal) }),
    ),
    listRecheckedRecords: unary(context, method.listRecheckedRecords, ({ principal, request }) => {
      const records = trustRechecks.records(principal, sequencePageOf(request));
      const page = { records, nextPageToken: sequenceTokenOf(records) };
      return toMessage(method.listRecheckedRecords.output, page);
    }),
  };
}
