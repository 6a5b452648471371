/** Whether a picture was here before: dropped, chosen or pasted, looked for, and forgotten. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import { FIND_BY_PICTURE, type FindByPictureAnswer, type PictureSearch } from '../gen/documents.ts';
import { type GraphqlAnswer, payloadOf, readAnswer, session } from '../parts/api.ts';
import { DropZone } from '../parts/drop-zone.tsx';
import { Button, Fault, Loading, Title } from '../parts/parts.tsx';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { FoundList } from './found-pictures.tsx';
import './search.css';

interface Searched {
  name: string;
  search: PictureSearch;
}

export function SearchPage(): JSX.Element {
  const [searched, setSearched] = useState<Searched | null>(null);
  const { isBusy, fault, run } = useWork();
  const latest = useRef(isBusy);
  latest.current = isBusy;
  const find = (file: File | undefined): void => {
    if (file === undefined || latest.current) return;
    setSearched(null);
    void run(async () => setSearched({ name: file.name, search: await findByPicture(file) }));
  };
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      // This page searches for a pasted picture; it does not submit it.
      event.stopPropagation();
      find(event.clipboardData?.files[0]);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
  return (
    <>
      <Title>{t('searchTitle')}</Title>
      <PictureDrop onFile={find} />
      <Fault error={fault} />
      {isBusy && <Loading />}
      {searched !== null && (
        <section aria-labelledby="found">
          <h2 id="found">{searched.name === '' ? t('searchFound') : showText(searched.name)}</h2>
          <FoundList search={searched.search} />
        </section>
      )}
    </>
  );
}

async function findByPicture(file: File): Promise<PictureSearch> {
  const form = new FormData();
  form.set('operations', JSON.stringify({ query: FIND_BY_PICTURE, variables: { input: { file: null } } }));
  form.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
  form.set('0', file, file.name);
  const headers = { 'x-assay-csrf': session.get()?.csrfToken ?? '' };
  const response = await fetch('/graphql', { method: 'POST', headers, body: form });
  const data = readAnswer((await response.json()) as GraphqlAnswer);
  return payloadOf(data as FindByPictureAnswer).search;
}

function PictureDrop({ onFile }: { onFile: (file: File | undefined) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <DropZone title={t('searchDrop')} lead={t('searchLead')} onFiles={([file]) => onFile(file)}>
      <p class="actions">
        <Button kind="main" onPress={() => input.current?.click()}>
          {t('choosePicture')}
        </Button>
      </p>
      <input
        ref={input}
        type="file"
        accept="image/*"
        class="unseen"
        tabIndex={-1}
        aria-label={t('choosePicture')}
        onChange={({ currentTarget }) => {
          onFile(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
    </DropZone>
  );
}
