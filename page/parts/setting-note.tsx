/** A setting that a page needs: what it is now, and the lines to write to change it. It lives in the settings file alone. */
import type { JSX } from 'preact';
import { READ_SETTING } from '../gen/documents.ts';
import { t } from '../texts/language.ts';
import { session } from './api.ts';
import { CopyButton, Fault, Notice } from './parts.tsx';
import { useQuery } from './use-query.ts';

/** Only administrators may read it. */
export function SettingNote({ name }: { name: string }): JSX.Element | null {
  return session.get()?.account?.role === 'admin' ? <Setting {...{ name }} /> : null;
}

/** Says where mail goes if no server is set. */
export function MailOff(): JSX.Element | null {
  if (session.get()?.isMailSent !== false) return null;
  return (
    <>
      <Notice>{t('mailOff')}</Notice>
      <SettingNote name="mail.smtp_url" />
    </>
  );
}

function Setting({ name }: { name: string }): JSX.Element {
  const { data, error } = useQuery(READ_SETTING, { key: name });
  if (data === undefined) return <Fault {...{ error }} />;
  const { value, origin, file, lines } = data.setting;
  return (
    <div class="setting-note">
      <p class="quiet">
        <code>{name}</code> {value === '' ? t('settingUnset') : t('settingNow', { value, origin })}{' '}
        {file === null ? t('settingNoFile') : t('settingFile', { file })}
      </p>
      <pre>{lines}</pre>
      <CopyButton text={lines} label={t('copy')} />
    </div>
  );
}
