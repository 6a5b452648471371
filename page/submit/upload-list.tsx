/** What was handed in since the page was opened, live from the first byte to the verdict. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import { formatBytes, formatPercent } from '../parts/format.ts';
import { Button } from '../parts/parts.tsx';
import { resultPath } from '../parts/paths.ts';
import { OutcomeMark, whyOf } from '../records/record-row.tsx';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { canPause, heard, sendAgain, stopUpload, type Upload } from './uploads.ts';

/** A folder may bring thousands: those that move stand first, and the rest is counted. */
const SHOWN_MAX = 200;

export function UploadList({ sent }: { sent: readonly Upload[] }): JSX.Element {
  const moving = sent.filter(({ state }) => state === 'sending' || state === 'paused');
  const others = sent.filter(({ state }) => state !== 'sending' && state !== 'paused');
  const shown = [...moving, ...others].slice(0, SHOWN_MAX);
  return (
    <>
      <ul class="uploads">
        {shown.map((upload) => (
          <UploadRow key={upload.id} {...{ upload }} />
        ))}
      </ul>
      {sent.length > shown.length && (
        <p class="quiet tail">{t('moreUploads', { count: sent.length - shown.length })}</p>
      )}
    </>
  );
}

function UploadRow({ upload }: { upload: Upload }): JSX.Element {
  const { file, identifier } = upload;
  const name = showText(upload.name);
  return (
    <li class="upload">
      <div class="row-name">
        {identifier === null ? <span>{name}</span> : <Link href={resultPath(identifier)}>{name}</Link>}
        {file !== null && (
          <small class="quiet">
            {formatBytes(file.size)}
            {upload.manifest !== null && ` · ${t('withManifest', { name: showText(upload.manifest.name) })}`}
          </small>
        )}
      </div>
      <UploadState {...{ upload }} />
    </li>
  );
}

function UploadState({ upload }: { upload: Upload }): JSX.Element {
  const { id, state, sentShare, identifier, fault } = upload;
  const record = useCell(heard).get(identifier ?? '');
  if (record !== undefined)
    return <OutcomeMark {...{ record }} why={record.status === 'ERRORED' ? whyOf(record) : ''} />;
  if (state === 'sending') {
    return (
      <div class="outcome waiting">
        <span>{sentShare < 1 ? t('sending', { share: formatPercent(sentShare) }) : t('checking')}</span>
        <progress max={1} value={sentShare} aria-label={t('progress')} />
        <Button kind="link" onPress={() => stopUpload(id)}>
          {t(canPause(upload) ? 'pause' : 'stop')}
        </Button>
      </div>
    );
  }
  if (state === 'refused' || state === 'stopped') {
    return (
      <div class="outcome failed">
        <span class="mark">{t(state === 'refused' ? 'refused' : 'stopped')}</span>
        <small class="wrong" role="alert">
          {fault}
        </small>
        <Button kind="link" onPress={() => sendAgain(id)}>
          {t('sendAgain')}
        </Button>
      </div>
    );
  }
  if (state === 'paused') {
    return (
      <div class="outcome waiting">
        <span>{t('paused', { share: formatPercent(sentShare) })}</span>
        <progress max={1} value={sentShare} aria-label={t('progress')} />
        <Button kind="link" onPress={() => sendAgain(id)}>
          {t('resume')}
        </Button>
      </div>
    );
  }
  return (
    <div class="outcome waiting">
      <span>{t('waitingToSend')}</span>
    </div>
  );
}
