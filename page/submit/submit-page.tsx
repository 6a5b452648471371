/** Handing in files: dropped, chosen, pasted, a whole folder or an address. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AccountInfo } from '../parts/api.ts';
import { DropZone } from '../parts/drop-zone.tsx';
import { isMedia } from '../parts/dropped.ts';
import { Button, Field, Form, Notice, Title } from '../parts/parts.tsx';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { SheetPanel } from './sheet-panel.tsx';
import { isSheet } from './sheet-rows.ts';
import { OptionsPanel, START_OPTIONS } from './submit-options.tsx';
import { UploadList } from './upload-list.tsx';
import { addUploads, clearEnded, type SubmitOptions, uploads } from './uploads.ts';
import { withManifests } from './with-manifests.ts';

export function SubmitPage({ account }: { account: AccountInfo }): JSX.Element {
  const [submission, setSubmission] = useState<SubmitOptions>(START_OPTIONS);
  const sent = useCell(uploads);
  const latest = useRef(submission);
  latest.current = submission;
  const [sheet, setSheet] = useState<File | null>(null);
  const addFiles = (files: readonly File[]): void => {
    setSheet((before) => files.find(isSheet) ?? before);
    addUploads(
      withManifests(files.filter((file) => !isSheet(file))).map(({ file, manifest }) => ({
        file,
        manifest,
        name: file.name,
      })),
      latest.current,
    );
  };
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent): void => {
      if (clipboardData !== null && clipboardData.files.length > 0) addFiles([...clipboardData.files]);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
  if (account.readonly) return <Notice>{t('readonlyAccount')}</Notice>;
  return (
    <>
      <Title>{t('submitTitle')}</Title>
      <FileDrop onFiles={addFiles} />
      <AddressForm {...{ submission }} />
      {sheet !== null && (
        <SheetPanel key={sheet.name + sheet.lastModified} file={sheet} {...{ submission }} />
      )}
      <OptionsPanel {...{ submission }} onSubmission={setSubmission} />
      {sent.length > 0 && (
        <section aria-labelledby="sent">
          <div class="page-head">
            <h2 id="sent">{t('sent')}</h2>
            <Button kind="link" onPress={clearEnded}>
              {t('clearEnded')}
            </Button>
          </div>
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
  const [fileUrl, setFileUrl] = useState('');
  const send = (): void => {
    addUploads([{ fileUrl, name: fileUrl }], submission);
    setFileUrl('');
  };
  return (
    <div class="address">
      <Form onSend={send}>
        <Field
          label={t('orAddress')}
          name="address"
          type="url"
          isRequired
          value={fileUrl}
          onValue={setFileUrl}
        />
        <Button type="submit">{t('fetchAddress')}</Button>
      </Form>
    </div>
  );
}
