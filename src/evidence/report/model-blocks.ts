/** The models behind a report: which weights they are, and how often they were wrong where that was measured. */
import type { EvidenceModel } from '../evidence-record.ts';
import { type Block, bounded } from './blocks.ts';
import type { Speaker } from './texts.ts';

/** A model's figures, as its pack has them; packs of operators may bring fewer. */
interface Figures {
  tier: string;
  images?: number;
  files?: number;
  auc: number;
  aucLow?: number;
  aucHigh?: number;
  falseAlarmRateBalanced: number;
  recallBalanced?: number;
  balancedAccuracy: number;
  kinds?: {
    label: string;
    kind: string;
    images: number;
    called: number;
    calledLow: number;
    calledHigh: number;
  }[];
}

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
  const figures = model.figures as readonly Figures[];
  if (figures.length === 0) {
    return [
      heading,
      { type: 'paragraph', text: speaker.text('noRates', { model: model.name }), isQuiet: true },
    ];
  }
  const isOfEdits = model.task === 'image-tampering';
  const kinds = figures.find(({ tier }) => tier === 'clean')?.kinds ?? [];
  return [
    heading,
    {
      type: 'table',
      head: [
        ...[speaker.text('quality'), speaker.text(isOfEdits ? 'falseAlarmsEdited' : 'falseAlarms')],
        ...[speaker.text(isOfEdits ? 'foundEdited' : 'found'), speaker.text('auc'), speaker.text('sample')],
      ],
      rows: figures.map((rates) => [
        tierName(speaker, rates.tier),
        speaker.percent(rates.falseAlarmRateBalanced, 1),
        speaker.percent(foundOf(rates), 1),
        aucOf(speaker, rates),
        String(rates.images ?? rates.files ?? '–'),
      ]),
      widths: ['*', 'auto', 'auto', 'auto', 'auto'],
    },
    ...(kinds.length === 0 ? [] : kindBlocks(speaker, kinds, isOfEdits)),
  ];
}

/** Balanced accuracy is the mean of both sides, so the one follows from the other. */
function foundOf({ recallBalanced, balancedAccuracy, falseAlarmRateBalanced }: Figures): number {
  return recallBalanced ?? 2 * balancedAccuracy - (1 - falseAlarmRateBalanced);
}

function aucOf(speaker: Speaker, { auc, aucLow, aucHigh }: Figures): string {
  const plain = speaker.number(auc, 2);
  if (aucLow === undefined || aucHigh === undefined) return plain;
  return `${plain} (${speaker.number(aucLow, 2)}–${speaker.number(aucHigh, 2)})`;
}

function kindBlocks(speaker: Speaker, kinds: NonNullable<Figures['kinds']>, isOfEdits: boolean): Block[] {
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
