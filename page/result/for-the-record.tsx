/** Figures and codes by which a specialist checks a result; an editor decides without them. */
import type { ComponentChildren, JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import type { FullRecord, ModelResult, Verdict } from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { formatDuration, formatNumber } from '../parts/format.ts';
import { Facts } from '../parts/parts.tsx';
import { modelResultsOf } from '../parts/records.ts';
import type { TextKey } from '../texts/en.ts';
import { findText, language, t } from '../texts/language.ts';

type Row = readonly [string, ComponentChildren];

export function ForTheRecord({ record }: { record: FullRecord }): JSX.Element {
  const { identifier, assessment, verdicts, verdict } = record;
  const jpegQuality = assessment?.quality?.jpegQuality ?? null;
  const rows: Row[] = [
    [
      t('identifier'),
      <code key="i" class="long">
        {identifier}
      </code>,
    ],
    ...(language.get() === 'en' || record.errors === '' ? [] : [originalRow(record)]),
    [t('rules'), describeRules(record)],
    ...(jpegQuality === null ? [] : [[t('jpegQuality'), String(jpegQuality)] as const]),
    ...modelResultsOf(record).map((result): Row => [result.model, describeRun(record, result)]),
    ...likenessRows(record),
    ...provenanceRows(record),
    ...(record.stepTimes.length === 0 ? [] : [[t('stepTimes'), describeStepTimes(record)] as const]),
  ];
  return (
    <Fold anchor="record" title={t('forTheRecord')}>
      <Facts {...{ rows }} />
      {verdicts.length > 0 && <Heuristics {...{ verdicts }} chosen={verdict?.heuristic ?? ''} />}
    </Fold>
  );
}

/** The error as programs read it. */
function originalRow({ errors }: FullRecord): Row {
  return [
    t('errorAsStored'),
    <q key="e" lang="en">
      {showText(errors)}
    </q>,
  ];
}

/** Verdicts are derived on reading: a record of before may say something else than it said then. */
function describeRules({ rulesVersion: made, readByRulesVersion: read }: FullRecord): string {
  if (made === null || read === null) return '–';
  return t(made === read ? 'rulesSame' : 'rulesChanged', { made, read });
}

function describeRun({ __typename }: FullRecord, { version, axis, device, places }: ModelResult): string {
  const parts = [version, findText(`axis_${axis}`) ?? axis, device];
  // Each frame of a video has its own.
  if (__typename === 'ImageClassification' && places !== null) {
    parts.push(t('placesApart', { count: places.count, spread: formatNumber(places.spread, 1) }));
  }
  return parts.filter((part) => part !== '').join(' · ');
}

function likenessRows({ seenBefore }: FullRecord): Row[] {
  return seenBefore
    .filter(({ relation }) => relation !== 'SAME_FILE')
    .map(({ identifier, name, distance }) => [
      t('likenessTo', { name: name === '' ? identifier.slice(0, 12) : showText(name) }),
      t('likenessBits', { distance }),
    ]);
}

/** The trust lists that judged the manifests, by hash, and the reader's codes for faults. */
function provenanceRows({ provenance }: FullRecord): Row[] {
  if (provenance === null) return [];
  const lists = provenance.lists.map(
    ({ id, sha256 }): Row => [
      t('listHash', { list: id }),
      <code key={id} class="long">
        {sha256}
      </code>,
    ],
  );
  const notes = provenance.manifests.flatMap(({ generator, title, label, readings }): Row[] => {
    const codes = readings.notes.map(({ code, isUnknown }) =>
      isUnknown ? t('unknownCode', { code }) : code,
    );
    return codes.length === 0
      ? []
      : [[t('readingNotes'), `${showText(generator || title || label)}: ${codes.join(', ')}`]];
  });
  return [...lists, ...notes];
}

/** What the wait was for: the steps by their names in the metrics, the longest first. */
function describeStepTimes({ stepTimes }: FullRecord): string {
  const byLength = stepTimes.toSorted((left, right) => right.seconds - left.seconds);
  // Steps of less than a millisecond are left out.
  return byLength
    .filter(({ seconds }) => seconds >= 0.001)
    .map(({ step, seconds }) => `${step} ${formatDuration(seconds)}`)
    .join(', ');
}

function Heuristics({ verdicts, chosen }: { verdicts: readonly Verdict[]; chosen: string }): JSX.Element {
  return (
    <table class="plain">
      <caption>{t('heuristics')}</caption>
      <tbody>
        {verdicts.map(({ heuristic, classification, confidence }) => (
          <tr key={heuristic} aria-current={heuristic === chosen ? 'true' : undefined}>
            <th scope="row">
              {t(`heuristic_${heuristic}` as TextKey)}
              <small class="quiet">{t(`heuristicLead_${heuristic}` as TextKey)}</small>
            </th>
            <td class="nowrap">
              {t(classification === 'HUMAN' ? 'human' : 'artificial')}{' '}
              <span class="figure quiet">{formatNumber(confidence, 2)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
