/** What a search has found: the same pictures first, then those that share a part. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import type { PictureSearch } from '../gen/documents.ts';
import { formatSeconds } from '../parts/format.ts';
import { Table, Time } from '../parts/parts.tsx';
import { resultPath } from '../parts/paths.ts';
import { PictureThumbnail } from '../records/thumbnail.tsx';
import { t } from '../texts/language.ts';

type Found = PictureSearch['found'][number];

export function FoundList({ search }: { search: PictureSearch }): JSX.Element {
  const { found, searched, withoutParts } = search;
  return (
    <>
      <p role="status">
        {found.length === 0
          ? t('foundNothing', { searched })
          : t('foundAmong', { count: found.length, searched })}
        {withoutParts > 0 && <span class="quiet"> {t('foundWithoutParts', { count: withoutParts })}</span>}
      </p>
      {found.length > 0 && (
        <Table caption={t('searchFound')} head={[t('seenWhat'), t('seenHow'), t('seenFound'), t('seenWhen')]}>
          {found.map((one) => (
            <FoundRow key={one.identifier} {...{ one }} />
          ))}
        </Table>
      )}
    </>
  );
}

function FoundRow({ one }: { one: Found }): JSX.Element {
  const { identifier, name, createdAt, degree, isMirrored, timeSeconds } = one;
  return (
    <tr>
      <td>
        <Link href={resultPath(identifier)} class="found-picture">
          <PictureThumbnail kind={timeSeconds === null ? 'IMAGE' : 'VIDEO'} {...{ identifier }} />
          <span>{name === '' ? identifier.slice(0, 12) : showText(name)}</span>
        </Link>
      </td>
      <td>
        {t(`degree_${degree}`)}
        {isMirrored && `, ${t('mirroredToo')}`}
        {timeSeconds !== null && (
          <span class="quiet">, {t('frameAt', { time: formatSeconds(timeSeconds) })}</span>
        )}
      </td>
      <td>{findingOf(one)}</td>
      <td>
        <Time iso={createdAt} />
      </td>
    </tr>
  );
}

/** A person's finding goes before the measurement. */
export function findingOf({
  finding,
  foundAt,
  outcome,
}: Pick<Found, 'finding' | 'foundAt' | 'outcome'>): string {
  if (finding === null) return t(`outcome_${outcome.toLowerCase() as Lowercase<typeof outcome>}`);
  const date = foundAt === null ? '' : new Date(foundAt).toLocaleDateString();
  return t('seenByPerson', { finding: t(finding === 'HUMAN' ? 'human' : 'artificial'), date });
}
