/** Earlier records of the same picture, and what was found then. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import { type AllOfSeenBefore, FIND_SIMILAR, type FullRecord } from '../gen/documents.ts';
import { session } from '../parts/api.ts';
import { Fold } from '../parts/fold.tsx';
import { formatSeconds } from '../parts/format.ts';
import { Fault, Loading, Table, Time } from '../parts/parts.tsx';
import { resultPath } from '../parts/paths.ts';
import { useQuery } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { FoundList, findingOf } from './found-pictures.tsx';

export function SeenBeforePanel({ record: { seenBefore } }: { record: FullRecord }): JSX.Element | null {
  if (seenBefore.length === 0) return null;
  return (
    <Fold anchor="seen-before" title={t('seenBefore')}>
      <p class="quiet">{t('seenBeforeLead')}</p>
      <Table caption={t('seenBefore')} head={[t('seenWhen'), t('seenWhat'), t('seenHow'), t('seenFound')]}>
        {seenBefore.map((earlier) => (
          <EarlierRow key={earlier.identifier} {...{ earlier }} />
        ))}
      </Table>
    </Fold>
  );
}

function EarlierRow({ earlier }: { earlier: AllOfSeenBefore }): JSX.Element {
  const { identifier, name, createdAt, relation, timeSeconds, earlierSeconds } = earlier;
  const isOfFilms = timeSeconds !== null && earlierSeconds !== null;
  return (
    <tr>
      <td>
        <Time iso={createdAt} />
      </td>
      <td>
        <Link href={resultPath(identifier)}>{name === '' ? identifier.slice(0, 12) : showText(name)}</Link>
      </td>
      <td>
        {t(`likeness_${relation}`)}
        {isOfFilms && (
          <span class="quiet">
            ,{' '}
            {t('likenessTimes', { time: formatSeconds(timeSeconds), earlier: formatSeconds(earlierSeconds) })}
          </span>
        )}
      </td>
      <td>{findingOf(earlier)}</td>
    </tr>
  );
}

/** Pictures like that of a record or a frame; the search begins when the panel is unfolded. */
export function SimilarPanel({ record: { identifier, kind } }: { record: FullRecord }): JSX.Element | null {
  if (kind === 'AUDIO') return null;
  return (
    <Fold anchor="similar" title={t('similar')}>
      {() => (
        <>
          <Similar {...{ identifier }} />
          <Elsewhere />
        </>
      )}
    </Fold>
  );
}

function Similar({ identifier }: { identifier: string }): JSX.Element {
  const { data, error } = useQuery(FIND_SIMILAR, { identifier });
  const search = data?.similarPictures;
  if (error !== undefined) return <Fault {...{ error }} />;
  return search ? <FoundList {...{ search }} /> : <Loading />;
}

/** Off unless the settings name pages. Nothing is sent: a link only opens the page, to which the reader may give the picture. */
function Elsewhere(): JSX.Element | null {
  const pages = session.get()?.searchElsewhere ?? [];
  if (pages.length === 0) return null;
  return (
    <div>
      <p class="quiet">{t('elsewhereLead')}</p>
      <ul>
        {pages.map((page) => (
          <li key={page}>
            <a href={page} target="_blank" rel="noreferrer noopener">
              {new URL(page).host}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
