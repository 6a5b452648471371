/** Says that what is seen or heard is a rendition and not the file itself, or how far its making is. */
import type { JSX } from 'preact';
import { formatPercent } from '../parts/format.ts';
import { t } from '../texts/language.ts';
import type { RenditionView } from './use-rendition.ts';

interface NoteProps {
  view: RenditionView;
  /** Address of the file itself. */
  source: string;
  name: string;
}

/** Has one height in every state, even if there is nothing to say, so that nothing jumps when the rendition comes. */
export function RenditionNote({ view, source, name }: NoteProps): JSX.Element {
  return (
    <p class="rendition-note" role="status">
      <span>{sentenceOf(view)}</span>{' '}
      {view.state !== 'none' && (
        <a href={source} download={name} class="unprinted">
          {t('downloadFile')}
        </a>
      )}
    </p>
  );
}

export function sentenceOf(view: RenditionView): string {
  switch (view.state) {
    case 'ready':
      return t('renditionShown');
    case 'failed':
      return t('renditionFailed', { reason: view.reason });
    case 'making':
      return view.share === null
        ? t('renditionWaits')
        : t('renditionMade', { share: formatPercent(view.share) });
    case 'none':
      return '';
  }
}
