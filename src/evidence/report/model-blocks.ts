/** The models behind a report: their weights, and their measured error rates. */
import {
  describeSet,
  type FigureRow,
  foundOf,
  type KindRate,
  sampleOf,
} from '../../domain/packs/measured-figures.ts';
import type { EvidenceModel } from '../evidence-record.ts';
import { type Block, bounded } from './blocks.ts';
import type { Speaker } from './texts.ts';

/** Figures whose quality ends so are the fused answer of all models of the task. */
const FUSED = ', fused';

export function modelBlocks(speaker: Speaker, models: readonly EvidenceModel[]): Block[] {
  if (models.length === 0) return [];
  return [
    { type: 'heading', level: 1, text: speaker.text('errorRatesTitle') },
    { type: 'paragraph', text: speaker.text('errorRatesLead', { clean: tierName(speaker, 'clean') }) },
    ...models.flatMap((model) => rateBlocks(speaker, model)),
    { type: 'heading', level: 1, text: speaker.text('modelsTitle') },
    ...models.flatMap((model) => aboutBlocks(speaker, model)),
  ];
}

function rateBlocks(speaker: Speaker, model: EvidenceModel): Block[] {
  const heading: Block = { type: 'heading', level: 2, text: `${model.name} (${model.id} ${model.version})` };
  const figures = model.figures as readonly FigureRow[];
  if (figures.length === 0) {
    return [
      heading,
      { type: 'paragraph', text: speaker.text('noRates', { model: model.name }), isQuiet: true },
    ];
  }
  const isOfEdits = model.task === 'image-tampering';
  const kinds = figures.find(({ tier, kinds }) => tier === 'clean' && kinds !== undefined)?.kinds ?? [];
  return [
    heading,
    ...setsOf(figures).flatMap((rows) => setBlocks(speaker, rows, isOfEdits)),
    ...(kinds.length === 0 ? [] : kindBlocks(speaker, kinds, isOfEdits)),
  ];
}

/** Rows of one set side by side, in the order of the pack. */
function setsOf(figures: readonly FigureRow[]): FigureRow[][] {
  return [...Map.groupBy(figures, ({ outside }) => JSON.stringify(outside)).values()];
}

function setBlocks(speaker: Speaker, rows: readonly FigureRow[], isOfEdits: boolean): Block[] {
  const outside = rows[0]?.outside;
  const percent = (share: number | undefined) => (share === undefined ? '–' : speaker.percent(share, 1));
  return [
    {
      type: 'paragraph',
      text:
        outside === undefined
          ? speaker.text('insideSet')
          : speaker.text('outsideSet', { set: describeSet(outside) }),
    },
    {
      type: 'table',
      head: [
        ...[speaker.text('quality'), speaker.text(isOfEdits ? 'falseAlarmsEdited' : 'falseAlarms')],
        ...[speaker.text(isOfEdits ? 'foundEdited' : 'found'), speaker.text('auc'), speaker.text('sample')],
      ],
      rows: rows.map((rates) => [
        tierName(speaker, rates.tier),
        percent(rates.falseAlarmRateBalanced),
        percent(foundOf(rates)),
        aucOf(speaker, rates),
        String(sampleOf(rates) ?? '–'),
      ]),
      widths: ['*', 'auto', 'auto', 'auto', 'auto'],
    },
  ];
}

function aucOf(speaker: Speaker, { auc, aucLow, aucHigh }: FigureRow): string {
  if (auc === undefined) return '–';
  const plain = speaker.number(auc, 2);
  if (aucLow === undefined || aucHigh === undefined) return plain;
  return `${plain} (${speaker.number(aucLow, 2)}–${speaker.number(aucHigh, 2)})`;
}

function kindBlocks(speaker: Speaker, kinds: readonly KindRate[], isOfEdits: boolean): Block[] {
  return [
    { type: 'paragraph', text: speaker.text('kindsTitle') },
    {
      type: 'table',
      head: [
        ...[speaker.text('kindOf'), speaker.text(isOfEdits ? 'calledEdited' : 'called')],
        ...[speaker.text('range'), speaker.text('sample')],
      ],
      rows: kinds.map(({ label, kind, images, called, calledLow, calledHigh }) => [
        `${speaker.say(label === 'human' ? 'human' : 'artificial')}: ${speaker.find(`kind_${kind}`) ?? kind}`,
        speaker.percent(called, 0),
        `${speaker.percent(calledLow)} – ${speaker.percent(calledHigh)}`,
        String(images),
      ]),
      widths: ['*', 'auto', 'auto', 'auto'],
    },
  ];
}

function aboutBlocks(speaker: Speaker, model: EvidenceModel): Block[] {
  const { id, version, sha256, licence, trainedOn, cardMember, isInstalled } = model;
  return [
    { type: 'heading', level: 2, text: `${model.name} (${id} ${version})` },
    isInstalled
      ? {
          type: 'facts',
          rows: [
            { name: speaker.text('weights'), value: sha256, isCode: true },
            { name: speaker.text('licence'), value: bounded(licence) },
            { name: speaker.text('trainedOn'), value: bounded(trainedOn) },
          ],
        }
      : { type: 'paragraph', text: speaker.text('notInstalled'), isQuiet: true },
    ...(cardMember === null
      ? []
      : [
          {
            type: 'paragraph',
            text: speaker.text('cardAt', { member: cardMember }),
            isQuiet: true,
          } as const,
        ]),
  ];
}

function tierName(speaker: Speaker, tier: string): string {
  const isFused = tier.endsWith(FUSED);
  const plain = isFused ? tier.slice(0, -FUSED.length) : tier;
  return `${speaker.find(`tier_${plain}`) ?? plain}${isFused ? FUSED : ''}`;
}
