/** What is like the picture of a record or a frame; looked for once somebody unfolds it. */
import type { JSX } from 'preact';
import { FIND_SIMILAR, type FullRecord } from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { Fault, Loading } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { FoundList } from './found-pictures.tsx';

export function SimilarPanel({ record: { identifier, kind } }: { record: FullRecord }): JSX.Element | null {
  if (kind === 'AUDIO') return null;
  return (
    <Fold anchor="similar" title={t('similar')}>
      {() => <Similar {...{ identifier }} />}
    </Fold>
  );
}

function Similar({ identifier }: { identifier: string }): JSX.Element {
  const { data, error } = useQuery(FIND_SIMILAR, { identifier });
  const search = data?.similarPictures;
  if (error !== undefined) return <Fault {...{ error }} />;
  return search ? <FoundList {...{ search }} /> : <Loading />;
}
