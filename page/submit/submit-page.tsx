/** Handing in files: dropped, chosen, pasted, a whole folder or an address. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { AccountInfo } from '../parts/api.ts';
import { DropZone } from '../parts/drop-zone.tsx';
import { isMedia } from '../parts/dropped.ts';
import { AskedForm } from '../parts/form.tsx';
import { Button, Fault, Notice, Title } from '../parts/parts.tsx';
import { useWork } from '../parts/use-query.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { SentProgress } from './sent-progress.tsx';
import { SheetPanel } from './sheet-panel.tsx';
import { chooseSubmission, submission } from './submission.ts';
import { OptionsPanel } from './submit-options.tsx';
import { sheet, takeFiles } from './take-files.ts';
import { UploadList } from './upload-list.tsx';
import { addUploads, clearEnded, type SubmitOptions, uploads } from './uploads.ts';

export function SubmitPage({ account }: { account: AccountInfo }): JSX.Element {
  const asked = useCell(submission);
  const sent = useCell(uploads);
  const dropped = useCell(sheet);
  const { fault, run } = useWork();
  if (account.readonly) return <Notice>{t('readonlyAccount')}</Notice>;
  return (
    <>
      <Title>{t('submitTitle')}</Title>
      <FileDrop onFiles={(files) => void run(() => takeFiles(files))} />
      <Fault error={fault} />
      <AddressForm submission={asked} />
      {dropped !== null && (
        <SheetPanel key={dropped.name + dropped.lastModified} file={dropped} submission={asked} />
      )}
      <OptionsPanel submission={asked} onSubmission={chooseSubmission} />
      {sent.length > 0 && (
        <section aria-labelledby="sent">
          <div class="page-head">
            <h2 id="sent">{t('sent')}</h2>
            <Button kind="link" onPress={clearEnded}>
              {t('clearEnded')}
            </Button>
          </div>
          <SentProgress />
          <UploadList {...{ sent }} />
        </section>
      )}
    </>
  );
}

function FileDrop({ onFiles }: { onFiles: (files: readonly File[]) => void }): JSX.Element {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement, isFolder: boolean): void => {
    const picked = [...(input.files ?? [])];
    onFiles(isFolder ? picked.filter(isMedia) : picked);
    input.value = '';
  };
  return (
    <DropZone title={t('dropHere')} lead={t('dropLead')} {...{ onFiles }}>
      <p class="actions">
        <Button kind="main" onPress={() => files.current?.click()}>
          {t('chooseFiles')}
        </Button>
        <Button onPress={() => folder.current?.click()}>{t('chooseFolder')}</Button>
      </p>
      <input
        ref={files}
        type="file"
        multiple
        class="unseen"
        tabIndex={-1}
        aria-label={t('chooseFiles')}
        onChange={(event) => take(event.currentTarget, false)}
      />
      <input
        ref={folder}
        type="file"
        {...{ webkitdirectory: true }}
        class="unseen"
        tabIndex={-1}
        aria-label={t('chooseFolder')}
        onChange={(event) => take(event.currentTarget, true)}
      />
    </DropZone>
  );
}

function AddressForm({ submission }: { submission: SubmitOptions }): JSX.Element {
  return (
    <div class="inline-form">
      <AskedForm
        start={{ fileUrl: '' }}
        asked={[{ of: 'fileUrl', label: t('orAddress'), type: 'url', isRequired: true }]}
        text={t('fetchAddress')}
        send={async ({ fileUrl }, put) => {
          addUploads([{ fileUrl, name: fileUrl }], submission);
          put({ fileUrl: '' });
        }}
      />
    </div>
  );
}
