/** Evidence packages and the keys that sign them, one row a field. */
import { identifier, long, moment, nullable, text, type ValuesOf, whole } from '../field.ts';

export const EVIDENCE_EXPORT = {
  name: 'EvidenceExport',
  description: 'A package that is being written, or lies ready for an hour.',
  fields: {
    id: identifier<string>(),
    state: text<'running' | 'ready' | 'failed'>({ description: 'running, ready or failed.' }),
    name: text({ description: 'Zip file name.' }),
    files: whole(),
    filesTotal: whole({ description: 'About how many there will be.' }),
    bytes: long(),
    timestamps: whole({ description: 'Tokens of timestamp authorities in it.' }),
    url: nullable(
      text({
        description:
          'Where it is fetched from with the same credential, once it is ready: a path of this box.',
      }),
    ),
    error: text({ description: 'Why there is none; empty where there is one.' }),
  },
};
export interface ExportJob extends ValuesOf<typeof EVIDENCE_EXPORT.fields> {}

export const EVIDENCE_KEY = {
  name: 'EvidenceKey',
  description: 'A public key that signs or signed packages here.',
  fields: {
    fingerprint: identifier<string>({ description: 'As `ssh-keygen -l` shows it.' }),
    publicKeyPem: text(),
    createdAt: moment(),
    retiredAt: nullable(moment({ description: 'Null: it signs.' })),
  },
};
export interface EvidenceKey extends ValuesOf<typeof EVIDENCE_KEY.fields> {}
