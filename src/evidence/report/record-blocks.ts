/** One record of a report: the finding, its reasons, the method, and possible errors. */
import type { ClassificationRecord, VideoRecord } from '../../domain/answers/record.ts';
import type { ModelResult } from '../../domain/contract/record-parts.ts';
import { rowsOf } from '../../domain/field.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { LIMITS, SMALL_SIDE_PIXELS, sortReasons } from '../../domain/records/finding-words.ts';
import { isOptionOf } from '../../domain/records/options.ts';
import { showText } from '../../domain/shown-text.ts';
import type { Assessment } from '../../domain/verdicts/assessment.ts';
import { mostSuspiciousMoment } from '../../domain/verdicts/suspicious-moment.ts';
import type { EvidenceRecord } from '../evidence-record.ts';
import { type Block, bounded, type Fact, type Figure } from './blocks.ts';
import { clipBlocks } from './clip-blocks.ts';
import { findingBlocks, nameOf } from './finding.ts';
import { historyBlocks } from './history.ts';
import { provenanceBlocks } from './provenance.ts';
import type { Speaker } from './texts.ts';
import { transcriptBlocks } from './transcript-blocks.ts';

/** Where in its report a record stands. */
interface Place {
  records: readonly EvidenceRecord[];
  index: number;
  /** Time of the report; microseconds since 1970 UTC. */
  createdAt: number;
}

export function recordBlocks(speaker: Speaker, one: EvidenceRecord, place: Place): Block[] {
  const { record } = one;
  const number = place.records.length === 1 ? '' : `${place.index + 1}. `;
  const heading: Block[] =
    place.records.length === 1 ? [] : [{ type: 'heading', level: 1, text: `${number}${nameOf(one)}` }];
  return [
    ...heading,
    ...findingBlocks(speaker, record),
    ...pictureBlocks(speaker, one),
    ...reasonBlocks(speaker, record),
    ...scoreBlocks(speaker, one),
    ...framesBlocks(speaker, one),
    ...clipBlocks(speaker, record),
    ...transcriptBlocks(speaker, record),
    ...provenanceBlocks(speaker, one),
    ...fileFactBlocks(speaker, record),
    ...fileBlocks(speaker, one),
    ...settingsBlocks(speaker, one),
    ...historyBlocks(speaker, one, place),
    ...limitBlocks(speaker, record),
  ];
}

/** A picture with its maps, under the names that evidence-payload.ts and the maps use. */
function pictureBlocks(speaker: Speaker, { record, originalMember }: EvidenceRecord): Block[] {
  if (record.kind !== 'image' || record.status !== 'done') return [];
  const caption =
    originalMember === null
      ? speaker.text('pictureGone')
      : speaker.text('pictureCaption', { member: originalMember });
  const maps = record.heatmapLayers.map(
    (layer): Figure => ({
      picture: `${record.identifier}/${layer}`,
      caption: speaker.text(`mapCaption_${layer}`),
    }),
  );
  return [{ type: 'figures', figures: [{ picture: record.identifier, caption }, ...maps] }];
}

function reasonBlocks(speaker: Speaker, { assessment, outcome }: ClassificationRecord): Block[] {
  if (assessment === null) return [];
  const { reasons, stability } = assessment;
  const { notes, ...sorted } = sortReasons(outcome, reasons);
  const itemsOf = (given: typeof reasons): string[] =>
    given.map(({ code, said }) =>
      bounded(`${showText(said[speaker.language])} ${speaker.find(`meaning_${code}`) ?? ''}`.trim()),
    );
  const lists = [
    [speaker.say('reasons'), sorted.for],
    [speaker.say('speaksAgainst'), sorted.against],
    [speaker.say('howItWasLookedAt'), notes],
  ] as const;
  return [
    ...lists.flatMap(([text, given]): Block[] =>
      given.length === 0
        ? []
        : [
            { type: 'heading', level: 2, text },
            { type: 'list', items: itemsOf(given) },
          ],
    ),
    ...(stability === null ? [] : stabilityBlocks(speaker, stability)),
  ];
}

function stabilityBlocks(
  speaker: Speaker,
  { flips, variants, notNeeded }: NonNullable<Assessment['stability']>,
): Block[] {
  const total = variants.length;
  const changes: Block = {
    type: 'paragraph',
    text: flips === 0 ? speaker.say('stable') : speaker.say('unstable', { flips, total }),
  };
  const judged = variants.map(({ name, probability }) => [
    variantName(speaker, name),
    speaker.percent(probability, 1),
  ]);
  const others = notNeeded.map((name) => [variantName(speaker, name), speaker.say('copiesNotNeeded')]);
  return [
    { type: 'heading', level: 2, text: speaker.say('stability') },
    ...(total === 0 ? [] : [changes]),
    {
      type: 'table',
      head: [speaker.say('stability'), speaker.text('probability')],
      rows: [...judged, ...others],
      widths: ['auto', '*'],
    },
  ];
}

function variantName(speaker: Speaker, name: string): string {
  const [what = '', figure = ''] = name.split('-');
  return speaker.find(`variant_${what}`)?.replace('{figure}', figure) ?? name;
}

function scoreBlocks(speaker: Speaker, one: EvidenceRecord): Block[] {
  const { record } = one;
  const rows = resultRows(speaker, one);
  if (rows.length === 0) return [];
  const isHuman = (label: string) => speaker.say(label === 'human' ? 'human' : 'artificial');
  return [
    { type: 'heading', level: 2, text: speaker.text('figures') },
    {
      type: 'table',
      head: [speaker.text('model'), speaker.text('score'), ''],
      rows,
      widths: ['auto', 'auto', '*'],
    },
    {
      type: 'table',
      head: [speaker.say('heuristic'), speaker.say('verdict'), ''],
      rows: record.verdicts.map(({ heuristic, classification, confidence }) => {
        const name = speaker.find(`heuristic_${heuristic.toUpperCase()}`) ?? heuristic;
        const mark = heuristic === record.verdict?.heuristic ? speaker.text('chosenWay', { name }) : name;
        const lead = speaker.find(`heuristicLead_${heuristic.toUpperCase()}`) ?? '';
        return [mark, `${isHuman(classification)} ${speaker.number(confidence, 2)}`, lead];
      }),
      widths: ['auto', 'auto', '*'],
    },
  ];
}

/** More frames than a page holds would hide the finding; all of them are in the package. */
const FRAMES_SHOWN_MAX = 12;

function framesBlocks(speaker: Speaker, { record }: EvidenceRecord): Block[] {
  if (record.kind !== 'video' || record.images.length === 0) return [];
  const share = (probability: number | null | undefined) =>
    probability == null ? speaker.say('noAnswer') : speaker.percent(probability, 1);
  const rows = record.images.map(({ timeSeconds, assessment }) => [
    `${speaker.number(timeSeconds ?? 0, 2)} s`,
    share(assessment?.probability),
  ]);
  const figures = mostSuspicious(record).map(
    ({ identifier, timeSeconds, assessment }): Figure => ({
      picture: identifier,
      caption: `${speaker.number(timeSeconds ?? 0, 2)} s: ${share(assessment?.probability)}`,
    }),
  );
  return [
    { type: 'heading', level: 2, text: speaker.say('frames') },
    { type: 'paragraph', text: speaker.text('framesLead') },
    { type: 'figures', figures: [sheetFigure(speaker, record)] },
    { type: 'figures', figures },
    { type: 'table', head: [speaker.text('time'), speaker.text('probability')], rows, widths: ['auto', '*'] },
  ];
}

function sheetFigure(speaker: Speaker, { identifier, images }: VideoRecord): Figure {
  const moment = mostSuspiciousMoment(
    images.map(({ timeSeconds, assessment }) => ({
      seconds: timeSeconds ?? 0,
      probability: assessment?.probability ?? null,
    })),
  );
  const most =
    moment === null
      ? ''
      : speaker.text('sheetMoment', {
          time: `${speaker.number(moment.seconds, 2)} s`,
          share: speaker.percent(moment.probability, 1),
        });
  const caption = `${speaker.text('sheetCaption', { count: images.length })} ${most}`.trim();
  return { picture: sheetPicture(identifier), caption, isWide: true };
}

/** Name of a video's contact sheet among the report's pictures. */
export function sheetPicture(identifier: string): string {
  return `${identifier}/sheet`;
}

/** In the order of the film. */
export function mostSuspicious({ images }: VideoRecord): VideoRecord['images'] {
  const probability = ({ assessment }: VideoRecord['images'][number]) => assessment?.probability ?? -1;
  return images
    .toSorted((left, right) => probability(right) - probability(left))
    .slice(0, FRAMES_SHOWN_MAX)
    .toSorted((left, right) => (left.timeSeconds ?? 0) - (right.timeSeconds ?? 0));
}

function fileBlocks(speaker: Speaker, { record }: EvidenceRecord): Block[] {
  const { mime, sizeBytes, refId, sourceUrl, hash, identifier, name, rules, assessment } = record;
  const quality = assessment?.quality?.jpegQuality ?? null;
  const rows: (Fact | null)[] = [
    { name: speaker.text('file'), value: showText(name) },
    { name: speaker.text('fileType'), value: mime },
    { name: speaker.say('fileSize'), value: `${speaker.bytes(sizeBytes)} (${speaker.number(sizeBytes)} B)` },
    sidesOf(speaker, record),
    mediumOf(speaker, record),
    lengthOf(speaker, record),
    quality === null ? null : { name: speaker.say('jpegQuality'), value: String(quality) },
    refId === '' ? null : { name: speaker.say('reference'), value: showText(refId) },
    sourceUrl === null ? null : { name: speaker.say('sourceAddress'), value: showText(sourceUrl) },
    { name: 'SHA-256', value: hash, isCode: true },
    { name: speaker.say('identifier'), value: identifier, isCode: true },
    rules === null
      ? null
      : {
          name: speaker.say('rules'),
          value: speaker.say(rules.made === rules.read ? 'rulesSame' : 'rulesChanged', { ...rules }),
        },
  ];
  return [
    { type: 'heading', level: 2, text: speaker.say('aboutFile') },
    { type: 'facts', rows: rows.filter((row) => row !== null) },
  ];
}

function mediumOf(speaker: Speaker, record: ClassificationRecord): Fact | null {
  if (record.kind !== 'image' || record.medium === null) return null;
  const word = record.medium.toUpperCase();
  return { name: speaker.say('medium'), value: speaker.find(`medium_${word}`) ?? word };
}

function sidesOf(speaker: Speaker, record: ClassificationRecord): Fact | null {
  if (record.kind === 'audio' || record.width === null || record.height === null) return null;
  const value = `${speaker.number(record.width)} × ${speaker.number(record.height)}`;
  return { name: speaker.say('pictureSize'), value };
}

function lengthOf(speaker: Speaker, record: ClassificationRecord): Fact | null {
  if (record.kind === 'image' || record.durationSeconds === null) return null;
  return { name: speaker.say('duration'), value: `${speaker.number(record.durationSeconds, 1)} s` };
}

/** Options that are not the defaults, the way of weighing, and which signature forces a verdict. */
function settingsBlocks(speaker: Speaker, { record, reading }: EvidenceRecord): Block[] {
  const { kind, options } = record;
  const asked = rowsOf(ANALYSIS_OPTIONS).flatMap(([name, row]): Fact[] => {
    const value = options[name];
    if (!isOptionOf(kind, name) || value === row.initial) return [];
    const text =
      speaker.find(`option${name.replace(/^with/, '').replace(/^./, (letter) => letter.toUpperCase())}`) ??
      name;
    return [{ name: text, value: value === true ? speaker.text('asked') : String(value) }];
  });
  const heuristic = speaker.find(`heuristic_${reading.heuristic.toUpperCase()}`) ?? reading.heuristic;
  return [
    { type: 'heading', level: 2, text: speaker.text('settings') },
    {
      type: 'facts',
      rows: [
        { name: speaker.say('heuristic'), value: heuristic },
        {
          name: speaker.say('signatureRule'),
          value: speaker.say(
            `signatureRule_${reading.policy.toUpperCase() as Uppercase<typeof reading.policy>}`,
          ),
        },
        ...asked,
      ],
    },
  ];
}

function limitBlocks(speaker: Speaker, { kind, assessment }: ClassificationRecord): Block[] {
  const quality = assessment?.quality ?? null;
  const isSmall = quality !== null && quality.shortSide < SMALL_SIDE_PIXELS;
  return [
    { type: 'heading', level: 2, text: speaker.say('couldBeWrong') },
    {
      type: 'list',
      items: [
        ...(isSmall ? [speaker.say('limit_small', { pixels: quality.shortSide })] : []),
        ...(quality?.truncated === true ? [speaker.say('limit_truncated')] : []),
        ...LIMITS[kind].map((key) => speaker.say(key)),
        speaker.text('absenceOfMark'),
      ],
    },
  ];
}

function fileFactBlocks(speaker: Speaker, { fileFacts }: ClassificationRecord): Block[] {
  if (fileFacts === null) return [];
  const { facts, contradictions } = fileFacts;
  const rows = facts.map(({ kind, field, value, isSigned }): Fact => {
    const where = isSigned ? `${speaker.say('factSigned')}, ${field}` : field;
    const name = speaker.say(`fact_${kind.toUpperCase() as Uppercase<typeof kind>}`);
    return { name, value: bounded(showText(`${value} (${where})`)) };
  });
  const heading: Block = { type: 'heading', level: 2, text: speaker.say('fileFacts') };
  if (rows.length === 0) return [heading, { type: 'paragraph', text: speaker.say('fileFactsNone') }];
  const wrong = contradictions.map((sentence) => bounded(showText(sentence[speaker.language])));
  const warnings: Block[] = wrong.length === 0 ? [] : [{ type: 'list', items: wrong }];
  return [
    heading,
    { type: 'paragraph', text: speaker.say('fileFactsUnsigned') },
    ...warnings,
    { type: 'facts', rows },
  ];
}

/** Name, probability of an artificial origin, and what the model looked for or why it gave no answer. */
function resultRows(speaker: Speaker, { record, models }: EvidenceRecord): string[][] {
  const results =
    record.kind === 'video'
      ? [...record.images, ...record.audios].flatMap((part) => part.results)
      : record.results;
  const byModel = Map.groupBy(results, ({ model, version }) => `${model} ${version}`);
  return [...byModel].map(([key, runs]) => {
    const [first] = runs;
    const scores = runs.flatMap((run) => artificialScore(run) ?? []);
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const name = models.find(({ id, version }) => `${id} ${version}` === key)?.name ?? first?.model ?? '';
    const axis = speaker.find(`axis_${first?.axis}`) ?? first?.axis ?? '';
    const places = record.kind === 'image' ? (first?.places ?? null) : null;
    const reason = scores.length === 0 ? `: ${showText(first?.reason ?? '')}` : '';
    return [
      `${name}\n${key}`,
      scores.length === 0 ? speaker.say('noAnswer') : speaker.percent(mean, 1),
      bounded(
        [`${axis}${reason} (${first?.device ?? ''})`, placesText(speaker, places)].filter(Boolean).join('. '),
      ),
    ];
  });
}

function placesText(speaker: Speaker, places: ModelResult['places']): string {
  if (places === null) return '';
  return speaker.say('placesApart', { count: String(places.count), spread: places.spread.toFixed(1) });
}

function artificialScore({ classification }: ModelResult): number | null {
  return classification.find(({ label }) => label === 'artificial')?.score ?? null;
}
