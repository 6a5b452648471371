/** What is known of the file and its analysis, and who did what with it when. */
import type { ComponentChildren, JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { ExportLines } from '../evidence/exported-readings.tsx';
import { type FullRecord, READ_OVERRIDES, RECORD_FACTS } from '../gen/documents.ts';
import { accountText } from '../parts/account-name.tsx';
import { formatBytes, formatNumber, formatPercent, formatSeconds } from '../parts/format.ts';
import { Facts, Loading, Time } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { findText, language, t } from '../texts/language.ts';

type Row = readonly [string, ComponentChildren];

export function AboutRecord({ record }: { record: FullRecord }): JSX.Element {
  const { hash, mimetype, filesize } = record;
  // What was not fetched has neither.
  const isThere = hash !== '';
  const rows: Row[] = [
    [t('fileType'), isThere ? mimetype : '–'],
    [t('fileSize'), isThere ? formatBytes(filesize) : '–'],
    ...sizesOf(record),
    ...mediumOf(record),
    ...factsOf(record),
    [
      'SHA-256',
      <code key="h" class="long">
        {isThere ? hash : '–'}
      </code>,
    ],
  ];
  return <Facts {...{ rows }} />;
}

/** What the declaration of the record has a label for; an empty fact is none. */
function factsOf(record: FullRecord): Row[] {
  return RECORD_FACTS.flatMap(([name, en, it, type]): Row[] => {
    const value: unknown = record[name];
    if (value === null || value === '' || value === false) return [];
    const shown = value === true ? '✓' : showText(String(value));
    const isTime = (type as string) === 'moment';
    const text = <span class="long">{isTime ? <Time iso={shown} /> : shown}</span>;
    return [[language.get() === 'it' ? it : en, text]];
  });
}

function sizesOf(record: FullRecord): Row[] {
  const rows: Row[] = [];
  if (record.__typename !== 'AudioClassification' && record.width !== null && record.height !== null) {
    rows.push([t('pictureSize'), `${formatNumber(record.width)} × ${formatNumber(record.height)}`]);
  }
  if (record.__typename !== 'AudioClassification' && record.nsfwProbability !== null) {
    rows.push([t('unsafeContent'), formatPercent(record.nsfwProbability)]);
  }
  if (record.__typename !== 'ImageClassification' && record.durationSeconds !== null) {
    rows.push([t('duration'), formatSeconds(record.durationSeconds)]);
  }
  return rows;
}

function mediumOf(record: FullRecord): Row[] {
  if (record.__typename !== 'ImageClassification' || record.medium === null) return [];
  return [[t('medium'), t(`medium_${record.medium}`)]];
}

export function Custody({ record }: { record: FullRecord }): JSX.Element {
  const { createdAt, endedAt, status } = record;
  return (
    <ol class="custody">
      <li>
        <Time iso={createdAt} />
        <span>{submissionOf(record)}</span>
      </li>
      {endedAt !== null && (
        <li>
          <Time iso={endedAt} />
          <span>
            {t(status === 'DONE' ? 'analysisEnded' : 'analysisFailed', { models: modelsOf(record) })}
          </span>
        </li>
      )}
      <ExportLines {...{ record }} />
      {record.hash !== '' && <Overrides key={record.forceClassification} {...{ record }} />}
    </ol>
  );
}

/** How it came in; older records do not say by which key. */
function submissionOf({ origin, submittedBy }: FullRecord): string {
  const text = t(`origin_${origin}`);
  if (submittedBy === null) return text;
  const { via, keyId, keyName } = submittedBy;
  const filling = { origin: text, via: findText(`via_${via}`) ?? via };
  return keyId === null
    ? t('submittedBy', filling)
    : t('submittedWithKey', { ...filling, key: keyName, id: keyId });
}

function modelsOf(record: FullRecord): string {
  const results =
    record.__typename === 'VideoClassification'
      ? [...record.images, ...record.audios].flatMap(({ results: own }) => own)
      : record.results;
  return [...new Set(results.map(({ model, version }) => `${model} ${version}`))].join(', ') || '–';
}

function Overrides({ record }: { record: FullRecord }): JSX.Element | null {
  const { hash, kind } = record;
  const { data, isLoading } = useQuery(READ_OVERRIDES, { hash, kind });
  if (isLoading) return <Loading />;
  return (
    <>
      {(data?.overrides ?? []).map(({ at, byAccountId, byName, classification, reason }) => (
        <li key={at}>
          <Time iso={at} />
          <span>
            {t('overriddenBy', {
              who: accountText(byAccountId, byName),
              classification: t(classification === 'HUMAN' ? 'human' : 'artificial'),
            })}
            {reason !== '' && <q>{reason}</q>}
          </span>
        </li>
      ))}
      {(data?.overrides ?? []).length > 0 && record.forceClassification === null && (
        <li>{t('overrideRemoved')}</li>
      )}
    </>
  );
}
