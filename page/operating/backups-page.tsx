/** The backups that are there, one made now with how far it is, and what to do if something is wrong. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  type AllOfBackup as Backup,
  READ_BACKUPS,
  type ReadBackupsAnswer,
  START_BACKUP,
} from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { formatBytes, formatNumber } from '../parts/format.ts';
import { Button, Check, Empty, Fault, Loading, Notice, Panel, Time, Title } from '../parts/parts.tsx';
import { Rows } from '../parts/rows.tsx';
import { SettingNote } from '../parts/setting-note.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { findText, t } from '../texts/language.ts';

const REFRESH_MS = 2000;

export function BackupsPage(): JSX.Element {
  const { data, error, isLoading, reload } = useQuery(READ_BACKUPS, {}, REFRESH_MS);
  const shelf = data?.backups;
  return (
    <>
      <Title>{t('navBackups')}</Title>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {shelf !== undefined &&
        (shelf.folder === null ? (
          <Empty title={t('backupsOff')}>
            <p>{t('backupsOffLead')}</p>
            <SettingNote name="backup.dir" />
          </Empty>
        ) : (
          <>
            <State {...{ shelf }} />
            <MakeOne {...{ shelf }} onStart={() => void reload()} />
            <Backups backups={shelf.backups} />
            <SettingNote name="backup.dir" />
            <Panel title={t('backupRestore')}>
              <p>{t('backupRestoreLead')}</p>
              <p>
                <code>assay restore {shelf.folder}/… --data-dir …</code>
              </p>
            </Panel>
          </>
        ))}
    </>
  );
}

function State({ shelf }: { shelf: ReadBackupsAnswer['backups'] }): JSX.Element {
  const { lastGoodAt, lastError, isTooOld } = shelf;
  if (lastError !== null)
    return <Notice kind="bad">{t('backupFailed', { reason: saySentence(lastError) })}</Notice>;
  if (isTooOld) return <Notice kind="bad">{t('backupTooOld')}</Notice>;
  if (lastGoodAt === null) return <Notice>{t('backupNone')}</Notice>;
  return (
    <Notice kind="good">
      {t('backupGood')} <Time iso={lastGoodAt} isAge />
    </Notice>
  );
}

function MakeOne({
  shelf,
  onStart,
}: {
  shelf: ReadBackupsAnswer['backups'];
  onStart: () => void;
}): JSX.Element {
  const [withSecrets, setWithSecrets] = useState(false);
  const { isBusy, fault, run } = useWork();
  const { progress, isRunning } = shelf;
  const start = async (): Promise<void> => {
    await run(() => change(START_BACKUP, { withSecrets }));
    onStart();
  };
  return (
    <Panel title={t('backupNow')}>
      <Check
        label={t('backupSecrets')}
        hint={t('backupSecretsLead')}
        isOn={withSecrets}
        onValue={setWithSecrets}
      />
      <p class="actions">
        <Button kind="main" {...{ isBusy }} isDisabled={isRunning} onPress={() => void start()}>
          {t('backupNow')}
        </Button>
      </p>
      <p role="status">
        {progress !== null &&
          t('backupProgress', {
            phase: findText(`backup_${progress.phase}`) ?? progress.phase,
            files: formatNumber(progress.files),
            size: formatBytes(progress.bytes),
          })}
      </p>
      <Fault error={fault} />
    </Panel>
  );
}

function Backups({ backups }: { backups: readonly Backup[] }): JSX.Element {
  if (backups.length === 0) return <p class="quiet">{t('backupNone')}</p>;
  return (
    <Rows
      caption={t('navBackups')}
      items={backups}
      keyOf={({ name }) => name}
      columns={[
        [t('backupMade'), ({ createdAt }) => (createdAt === null ? '–' : <Time iso={createdAt} isAge />)],
        [t('backupFiles'), ({ files }) => formatNumber(files), 'figure'],
        [t('fileSize'), ({ bytes }) => formatBytes(bytes), 'figure'],
        [t('version'), ({ version }) => version],
        [t('backupChecked'), ({ fault }) => (fault === '' ? t('backupReadBack') : fault)],
        [
          t('name'),
          ({ name, withSecrets }) => (
            <>
              <code>{name}</code>
              {withSecrets && <small class="quiet"> {t('backupHasSecrets')}</small>}
            </>
          ),
        ],
      ]}
    />
  );
}
