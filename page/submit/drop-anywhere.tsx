/** Takes files that are dropped or pasted on any page, and asks before they are sent where the plan charges. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import { filesOf } from '../parts/dropped.ts';
import { formatBytes, formatNumber } from '../parts/format.ts';
import { Button, Dialog, Fault } from '../parts/parts.tsx';
import { PATHS } from '../parts/paths.ts';
import { useWork } from '../parts/use-query.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { SentProgress } from './sent-progress.tsx';
import { chooseSubmission, submission } from './submission.ts';
import { OptionsPanel } from './submit-options.tsx';
import { creditsOf, type Offer, offer, sendFiles, sheet, takeFiles } from './take-files.ts';

const SHOWN_MAX = 50;

export function DropAnywhere(): JSX.Element {
  const [isOver, setOver] = useState(false);
  const offered = useCell(offer);
  const [path, navigate] = useLocation();
  const { fault, run } = useWork();
  const latest = useRef<(files: readonly File[]) => void>(() => {});
  latest.current = (files) =>
    void run(async () => {
      await takeFiles(files);
      if (sheet.get() !== null && path !== PATHS.submit) navigate(PATHS.submit);
    });
  useEffect(() => listen(setOver, (files) => latest.current(files)), []);
  return (
    <>
      <Fault error={fault} />
      {isOver && (
        <div class="drop-over" aria-hidden="true">
          <p>{t('dropAnywhere')}</p>
        </div>
      )}
      {path !== PATHS.submit && <SentProgress isBar />}
      {offered !== null && <OfferDialog {...{ offered }} />}
    </>
  );
}

/** Files that are dropped on an area of their own never come here, since it answers the event first. */
function listen(setOver: (isOver: boolean) => void, take: (files: readonly File[]) => void): () => void {
  const over = (event: DragEvent): void => {
    const isOurs = !event.defaultPrevented && event.dataTransfer?.types.includes('Files') === true;
    if (isOurs) event.preventDefault();
    setOver(isOurs);
  };
  const leave = ({ relatedTarget }: DragEvent): void => {
    if (relatedTarget === null) setOver(false);
  };
  const drop = (event: DragEvent): void => {
    setOver(false);
    if (event.defaultPrevented || event.dataTransfer === null || !event.dataTransfer.types.includes('Files'))
      return;
    event.preventDefault();
    void filesOf(event.dataTransfer).then(take);
  };
  const paste = ({ clipboardData, defaultPrevented }: ClipboardEvent): void => {
    const files = [...(clipboardData?.files ?? [])];
    if (!defaultPrevented && files.length > 0) take(files);
  };
  addEventListener('dragover', over);
  addEventListener('dragleave', leave);
  addEventListener('drop', drop);
  addEventListener('paste', paste);
  return () => {
    removeEventListener('dragover', over);
    removeEventListener('dragleave', leave);
    removeEventListener('drop', drop);
    removeEventListener('paste', paste);
  };
}

function OfferDialog({ offered }: { offered: Offer }): JSX.Element {
  const asked = useCell(submission);
  const { files } = offered;
  const credits = formatNumber(creditsOf(offered, asked));
  return (
    <Dialog title={t('offerTitle')} onClose={() => offer.set(null)}>
      <ul class="offered">
        {files.slice(0, SHOWN_MAX).map(({ file }, index) => (
          <li key={index}>
            <span class="long">{showText(file.name)}</span>{' '}
            <small class="quiet">{formatBytes(file.size)}</small>
          </li>
        ))}
      </ul>
      {files.length > SHOWN_MAX && (
        <p class="quiet">{t('moreUploads', { count: files.length - SHOWN_MAX })}</p>
      )}
      <OptionsPanel submission={asked} onSubmission={chooseSubmission} />
      <p role="status">{t('offerCredits', { credits })}</p>
      <p class="actions">
        <Button
          kind="main"
          onPress={() => {
            sendFiles(files);
            offer.set(null);
          }}
        >
          {t('offerSend')}
        </Button>
        <Button onPress={() => offer.set(null)}>{t('cancel')}</Button>
      </p>
    </Dialog>
  );
}
