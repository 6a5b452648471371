/** A file of a trust list that somebody picks: read in the browser, and sent as text. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { formatBytes } from '../parts/format.ts';
import { t } from '../texts/language.ts';

/** A request of the page has a megabyte; JSON escapes each end of a line. */
const BYTES_MAX = 900_000;

export function ListFile({ onContent }: { onContent: (content: string) => void }): JSX.Element {
  const id = useId();
  const [isTooLarge, setTooLarge] = useState(false);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setTooLarge(file.size > BYTES_MAX);
    onContent(file.size > BYTES_MAX ? '' : await file.text());
  };
  return (
    <div class="field">
      <label for={id}>{t('trustFile')}</label>
      <input
        {...{ id }}
        type="file"
        accept=".pem,.crt,.cer,.json,.txt"
        aria-describedby={`${id}-note`}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <small id={`${id}-note`} class={isTooLarge ? 'wrong' : 'quiet'}>
        {isTooLarge ? t('trustFileTooLarge', { max: formatBytes(BYTES_MAX) }) : t('trustFileLead')}
      </small>
    </div>
  );
}
