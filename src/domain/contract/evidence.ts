import { identifier, long, moment, nullable, text, type ValuesOf, whole } from '../field.ts';

export const EVIDENCE_EXPORT = {
  name: 'EvidenceExport',
  description: 'A package that is being written, or lies ready for an hour.',
  fields: {
    id: identifier(),
    state: text<'running' | 'ready' | 'failed'>('running, ready or failed.'),
    name: text('Zip file name.'),
    files: whole(),
    filesTotal: whole('About how many there will be.'),
    bytes: long(),
    timestamps: whole('Tokens of timestamp authorities in it.'),
    url: nullable(
      text('Where it is fetched from with the same credential, once it is ready: a path of this box.'),
    ),
    error: text('Why there is none; empty where there is one.'),
  },
};
export interface ExportJob extends ValuesOf<typeof EVIDENCE_EXPORT.fields> {}

export const EVIDENCE_KEY = {
  name: 'EvidenceKey',
  description: 'A public key that signs or signed packages here.',
  fields: {
    fingerprint: identifier('As ssh-keygen -l shows it: SHA256: and base64.'),
    publicKeyPem: text(),
    createdAt: moment(),
    retiredAt: nullable(moment('Null: it signs.')),
  },
};
export interface EvidenceKey extends ValuesOf<typeof EVIDENCE_KEY.fields> {}
