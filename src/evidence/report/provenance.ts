/** What a file says of its own origin, and what that is worth. */

import { showText } from '../../domain/shown-text.ts';
import type { C2paReport } from '../../domain/verdicts/provenance.ts';
import type { EvidenceRecord } from '../evidence-record.ts';
import { type Block, bounded, type Fact } from './blocks.ts';
import type { Speaker } from './texts.ts';

interface Manifest {
  claim_generator?: string;
  signature_info?: { issuer?: string; common_name?: string; time?: string };
}

export function provenanceBlocks(speaker: Speaker, { record, result }: EvidenceRecord): Block[] {
  const heading: Block = { type: 'heading', level: 2, text: speaker.say('provenance') };
  const declarations = (result?.provenance.declarations ?? []).map(
    ({ field, value }): Fact => ({ name: field, value: bounded(showText(value)) }),
  );
  const unsigned: Block[] =
    declarations.length === 0
      ? []
      : [
          { type: 'paragraph', text: `${speaker.tell('declarations')}:` },
          { type: 'facts', rows: declarations },
        ];
  if (record.c2pa !== null) return [heading, ...reportBlocks(speaker, record.c2pa), ...unsigned];
  const remote = record.assessment?.remoteManifestUrl ?? null;
  const text =
    remote === null ? speaker.say('noManifest') : speaker.say('remoteManifest', { url: showText(remote) });
  return [heading, { type: 'paragraph', text: bounded(text) }, ...unsigned];
}

/** The checks that did not hold; the whole report of the reader is in record.json. */
const STATUSES_SHOWN_MAX = 10;

function reportBlocks(speaker: Speaker, report: C2paReport): Block[] {
  const state = report.validation_state;
  const { claim_generator: generator, signature_info: signature } = (report.manifests[
    report.active_manifest
  ] ?? {}) as Manifest;
  const rows: Fact[] = [
    {
      name: speaker.say('signer'),
      value: [signature?.common_name, signature?.issuer].filter(Boolean).join(', '),
    },
    { name: speaker.say('signedAt'), value: signature?.time ?? '' },
    { name: speaker.say('madeWith'), value: generator ?? '' },
  ].map(({ name, value }) => ({ name, value: bounded(showText(value)) }));
  const failures = report.validation_status;
  const shown = failures.slice(0, STATUSES_SHOWN_MAX);
  return [
    {
      type: 'paragraph',
      text: `${speaker.find(`c2pa_${state}`) ?? state} ${speaker.find(`c2paLead_${state}`) ?? ''}`,
    },
    { type: 'facts', rows: rows.filter(({ value }) => value !== '') },
    ...(failures.length === 0
      ? []
      : [
          { type: 'paragraph', text: speaker.say('validationResults', { count: failures.length }) } as const,
          {
            type: 'list',
            items: shown.map(({ code, explanation }) => bounded(showText(`${code} ${explanation ?? ''}`))),
          } as const,
        ]),
  ];
}
