/** Evidence packages: begun, followed and fetched; and the keys that sign them. */
import type { ExportJob } from '../../../app/evidence/export-jobs.ts';
import { type EvidenceKey, listEvidenceKeys, rotateEvidenceKey } from '../../../app/evidence/signing-keys.ts';
import { builder } from '../builder.ts';
import { countCall, type Payload, settleCall } from '../transport/calls.ts';
import { userErrorType } from '../transport/user-errors.ts';

const exportType = builder.objectRef<ExportJob>('EvidenceExport').implement({
  description: 'A package that is being written, or lies ready for an hour.',
  fields: (t) => ({
    id: t.exposeID('id'),
    state: t.exposeString('state', { description: 'running, ready or failed.' }),
    name: t.exposeString('name', { description: 'Of the zip.' }),
    files: t.exposeInt('files'),
    filesTotal: t.exposeInt('filesTotal', { description: 'About how many there will be.' }),
    bytes: t.expose('bytes', { type: 'Long' }),
    timestamps: t.exposeInt('timestamps', { description: 'Tokens of timestamp authorities in it.' }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'Where it is fetched from with the same credential, once it is ready: a path of this box.',
    }),
    error: t.exposeString('error', { description: 'Why there is none; empty where there is one.' }),
  }),
});

const keyType = builder.objectRef<EvidenceKey>('EvidenceKey').implement({
  description: 'A public key that signs or signed packages here.',
  fields: (t) => ({
    fingerprint: t.exposeID('fingerprint', { description: 'As `ssh-keygen -l` shows it.' }),
    publicKeyPem: t.exposeString('publicKeyPem'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    retiredAt: t.expose('retiredAt', { type: 'DateTime', nullable: true, description: 'Null: it signs.' }),
  }),
});

const exportPayloadType = builder.objectRef<Payload<ExportJob>>('ExportEvidencePayload').implement({
  fields: (t) => ({
    export: t.field({ type: exportType, nullable: true, resolve: ({ value }) => value }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

const keysPayloadType = builder.objectRef<Payload<EvidenceKey[]>>('RotateEvidenceKeyPayload').implement({
  fields: (t) => ({
    keys: t.field({ type: [keyType], nullable: true, resolve: ({ value }) => value }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export function addEvidenceQueries(): void {
  builder.queryFields((t) => ({
    evidenceExport: t.field({
      type: exportType,
      nullable: true,
      description: 'How far a package is that this account asked for.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        countCall(context, 'evidenceExport', () =>
          context.app.exportJobs.find(context.principal(), String(id)),
        ),
    }),
    evidenceKeys: t.field({
      type: [keyType],
      nullable: true,
      description: 'The public keys of all that was ever signed here, newest first.',
      resolve: (_, _args, context) =>
        countCall(context, 'evidenceKeys', () => {
          context.principal();
          return listEvidenceKeys(context.app);
        }),
    }),
  }));
}

export function addEvidenceMutations(): void {
  builder.mutationFields((t) => ({
    exportEvidence: t.field({
      type: exportPayloadType,
      nullable: true,
      description:
        'Begins a signed package of one record, or of several as a case; `evidenceExport` tells how far it is.',
      args: {
        identifiers: t.arg.idList({ required: true, description: 'Of whole records, at most 200.' }),
        title: t.arg.string({ description: 'Of the report, at most 200 characters.' }),
        notes: t.arg.string({ description: 'What you know besides, at most 10,000 characters.' }),
        language: t.arg.string({ description: 'Of the report: en or it.' }),
      },
      resolve: (_, { identifiers, title, notes, language }, context) =>
        settleCall(context, 'exportEvidence', () =>
          context.app.exportJobs.start(context.app, {
            principal: context.principal(),
            identifiers: identifiers.map(String),
            fields: { title, notes, language },
          }),
        ),
    }),
    rotateEvidenceKey: t.field({
      type: keysPayloadType,
      nullable: true,
      description: 'Signs with a new key from now on; the old one stays published. Administrators only.',
      resolve: (_, _args, context) =>
        settleCall(context, 'rotateEvidenceKey', () =>
          rotateEvidenceKey(context.app, { principal: context.principal() }),
        ),
    }),
  }));
}
