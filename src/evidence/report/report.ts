/** The report of a package: its cover, one part for each record, and how to check it. */
import { showText } from '../../domain/shown-text.ts';
import { RULES_VERSION } from '../../domain/verdicts/rules-version.ts';
import { VERSION } from '../../domain/version.ts';
import type { EvidenceModel, EvidenceRecord } from '../evidence-record.ts';
import { type Block, bounded } from './blocks.ts';
import { findingSentence, nameOf } from './finding.ts';
import type { ReportLanguage } from './language.ts';
import { modelBlocks } from './model-blocks.ts';
import { recordBlocks } from './record-blocks.ts';
import { type Speaker, speakerOf } from './texts.ts';

export interface ReportOrder {
  title: string;
  notes: string;
  language: ReportLanguage;
  records: readonly EvidenceRecord[];
  /** Each model once. */
  models: readonly EvidenceModel[];
  /** Microseconds since 1970 UTC. */
  createdAt: number;
  packedBy: string;
  /** The address of the box. */
  box: string;
  /** Fingerprint of the key that signs the package. */
  fingerprint: string;
}

export interface Report {
  title: string;
  language: ReportLanguage;
  blocks: Block[];
  /** At the foot of each page, with `{page}` and `{pages}`. */
  footer: string;
}

export function toReport(order: ReportOrder): Report {
  const speaker = speakerOf(order.language);
  const { records } = order;
  const [first] = records;
  const name = first === undefined ? '' : nameOf(first);
  const plain = records.length === 1 ? speaker.text('reportOf', { name }) : speaker.text('report');
  const title = order.title === '' ? plain : showText(order.title);
  const blocks: Block[] = [
    ...coverBlocks(speaker, order, title),
    ...(records.length > 1 ? overviewBlocks(speaker, records) : []),
    ...records.flatMap((one, index) => recordBlocks(speaker, one, { index, ...order })),
    ...modelBlocks(speaker, order.models),
    { type: 'heading', level: 1, text: speaker.text('howToCheck') },
    { type: 'paragraph', text: speaker.text('howToCheckLead') },
    { type: 'facts', rows: [{ name: 'Ed25519', value: order.fingerprint, isCode: true }] },
  ];
  return {
    title,
    language: order.language,
    blocks,
    footer: `${order.fingerprint} · ${speaker.text('page')}`,
  };
}

function coverBlocks(speaker: Speaker, order: ReportOrder, title: string): Block[] {
  const { createdAt, packedBy, box, fingerprint, notes } = order;
  const program = speaker.text('programVersion', { version: VERSION, rules: RULES_VERSION });
  return [
    { type: 'title', text: title },
    { type: 'paragraph', text: speaker.text('lead', { box }) },
    {
      type: 'facts',
      rows: [
        { name: speaker.text('made'), value: speaker.time(createdAt) },
        { name: speaker.text('packedBy'), value: showText(packedBy) },
        { name: speaker.text('program'), value: program },
        { name: speaker.text('signedWith'), value: fingerprint, isCode: true },
      ],
    },
    ...(notes === ''
      ? []
      : [
          { type: 'heading', level: 2, text: speaker.text('notes') } as const,
          ...notes
            .split(/\n+/)
            .filter((line) => line.trim() !== '')
            .map((line): Block => ({ type: 'paragraph', text: bounded(showText(line)) })),
        ]),
  ];
}

function overviewBlocks(speaker: Speaker, records: readonly EvidenceRecord[]): Block[] {
  return [
    { type: 'heading', level: 2, text: speaker.text('overview') },
    {
      type: 'table',
      head: [speaker.text('number'), speaker.text('file'), speaker.text('finding')],
      rows: records.map((one, index) => [
        String(index + 1),
        nameOf(one),
        findingSentence(speaker, one.record),
      ]),
      widths: ['auto', 'auto', '*'],
    },
  ];
}
