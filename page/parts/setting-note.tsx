/** A setting that a page needs: what it is now, and the lines to write to change it. It lives in the settings file alone. */
import type { JSX } from 'preact';
import { READ_SETTING } from '../gen/documents.ts';
import { t } from '../texts/language.ts';
import { session } from './api.ts';
import { CopyButton, Fault, Notice } from './parts.tsx';
import { useQuery } from './use-query.ts';

interface SettingProps {
  name: string;
  /** What it is for, where the page does not say so already. */
  lead?: string;
}

/** Only administrators may read it. */
export function SettingNote(props: SettingProps): JSX.Element | null {
  return session.get()?.account?.role === 'admin' ? <Setting {...props} /> : null;
}

/** Says where mail goes if no server is set. */
export function MailOff(): JSX.Element | null {
  return session.get()?.isMailSent === false ? <MailState /> : null;
}

/** Whether mail is sent, and by which server. */
export function MailState(): JSX.Element {
  const isSent = session.get()?.isMailSent === true;
  return (
    <>
      <Notice kind={isSent ? 'good' : 'info'}>{t(isSent ? 'mailOn' : 'mailOff')}</Notice>
      <SettingNote name="mail.smtp_url" />
    </>
  );
}

function Setting({ name, lead }: SettingProps): JSX.Element {
  const { data, error } = useQuery(READ_SETTING, { key: name });
  if (data === undefined) return <Fault {...{ error }} />;
  const { value, origin, file, lines } = data.setting;
  return (
    <div class="setting-note">
      {lead !== undefined && <p>{lead}</p>}
      <p class="quiet">
        <code>{name}</code> {value === '' ? t('settingUnset') : t('settingNow', { value, origin })}{' '}
        {file === null ? t('settingNoFile') : t('settingFile', { file })}
      </p>
      <pre>{lines}</pre>
      <CopyButton text={lines} label={t('copy')} />
    </div>
  );
}
