/** The records before and after this one in the list that its reader came from, by links and by keys. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { PATHS, resultPath } from '../parts/paths.ts';
import { isTyping } from '../parts/typing.ts';
import { listed } from '../records/listed.ts';
import { NO_FILTER } from '../records/record-filter.ts';
import { askRecords } from '../records/use-records.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';

export function Neighbours({ identifier }: { identifier: string }): JSX.Element {
  const list = useCell(listed);
  const [, navigate] = useLocation();
  const identifiers = list?.identifiers ?? [];
  const at = identifiers.indexOf(identifier);
  const previous = at > 0 ? identifiers[at - 1] : undefined;
  const next = at < 0 ? undefined : identifiers[at + 1];
  const back = list?.path ?? PATHS.records;
  // A reader who came by a link has seen no list, so that the newest records count.
  useEffect(() => {
    if (listed.get() === null) void loadNewest();
  }, []);
  useEffect(() => {
    const ways = new Map<string, string | undefined>([
      ['j', next],
      ['ArrowRight', next],
      ['k', previous],
      ['ArrowLeft', previous],
    ]);
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event)) return;
      const to = ways.get(event.key);
      if (event.key === 'Escape') navigate(back);
      else if (to !== undefined) navigate(resultPath(to));
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [previous, next, back]);
  return (
    <nav class="neighbours unprinted" aria-label={t('neighbours')}>
      <Link href={back}>{t('backToList')}</Link>
      <Step to={previous} text={t('keyPrevious')} arrow="←" />
      <Step to={next} text={t('keyNext')} arrow="→" />
    </nav>
  );
}

/** The step keeps its place if there is no record, so that the other does not move under the pointer. */
function Step({ to, text, arrow }: { to: string | undefined; text: string; arrow: string }): JSX.Element {
  if (to === undefined) return <span class="button plain" aria-hidden="true" />;
  return (
    <Link href={resultPath(to)} class="button plain" aria-label={text} title={text}>
      {arrow}
    </Link>
  );
}

async function loadNewest(): Promise<void> {
  const { rows } = await askRecords(NO_FILTER, null);
  if (listed.get() === null)
    listed.set({ identifiers: rows.map(({ identifier }) => identifier), path: PATHS.records });
}
