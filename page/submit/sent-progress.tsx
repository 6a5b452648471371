/** One progress for everything that was sent since the page was opened: how much is there, judged and refused. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Button } from '../parts/parts.tsx';
import { PATHS } from '../parts/paths.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { clearEnded, heard, isJudged, uploads, wasRefused } from './uploads.ts';

/** `isBar`: at the foot of every page but the one that lists the files. */
export function SentProgress({ isBar = false }: { isBar?: boolean }): JSX.Element | null {
  const sent = useCell(uploads);
  useCell(heard);
  const count = sent.length;
  if (count === 0) return null;
  const refused = sent.filter(wasRefused).length;
  const judged = sent.filter(isJudged).length;
  const done = sent.reduce((sum, { sentShare }) => sum + sentShare, 0) + judged;
  const hasEnded = judged + refused === count;
  return (
    <aside class={isBar ? 'sent-progress bar' : 'sent-progress'} aria-label={t('sentProgress')}>
      <span role="status">
        {t('sentOf', { judged, count })}
        {refused > 0 && ` ${t('sentRefused', { refused })}`}
      </span>
      {!hasEnded && <progress max={2 * (count - refused)} value={done} aria-label={t('progress')} />}
      {isBar && <Link href={PATHS.submit}>{t('show')}</Link>}
      {isBar && hasEnded && (
        <Button kind="link" onPress={clearEnded}>
          {t('sentClear')}
        </Button>
      )}
    </aside>
  );
}
