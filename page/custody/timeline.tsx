/** What happened to a record, as the custody log of the box has it: newest first, a line an entry. */
import type { ComponentChildren, JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { READ_CUSTODY } from '../gen/documents.ts';
import { accountText } from '../parts/account-name.tsx';
import { formatTime } from '../parts/format.ts';
import { More, usePaged } from '../parts/paged.tsx';
import { Fault, Time } from '../parts/parts.tsx';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { findText, t } from '../texts/language.ts';
import { changesIn, describeChange } from './answer-changes.ts';

interface Entry {
  sequence: number;
  at: string;
  kind: string;
  accountId: string | null;
  accountName: string;
  facade: string;
  details: unknown;
  what: unknown;
  detailsDeletedAt: string | null;
}

/** `children` are shown if the record is older than the log: what the record itself says of its beginning. */
export function Timeline({
  identifier,
  children,
}: {
  identifier: string;
  children: ComponentChildren;
}): JSX.Element {
  const entries = usePaged(READ_CUSTODY, { identifier }, ({ custody }) => custody);
  const { nodes, hasMore, isLoading } = entries;
  const isOlder = !hasMore && !isLoading && !nodes.some(({ kind }) => kind === 'received');
  return (
    <>
      <Fault error={entries.error} />
      <ol class="custody">
        {nodes.map((entry) => (
          <li key={entry.sequence}>
            <Time iso={entry.at} />
            <span>
              {describe(entry)}
              <Details {...entry} />
            </span>
          </li>
        ))}
      </ol>
      <More {...entries} />
      {isOlder && <p class="quiet">{t('custodyOlder')}</p>}
      {isOlder && children}
      <p class="quiet">{t('custodyLead')}</p>
    </>
  );
}

/** For example `Opened · Ada, over REST`; an entry of the box itself names no one. */
function describe({ kind, accountId, accountName, facade }: Entry): string {
  const text = findText(`custody_${kind}`) ?? kind;
  if (accountId === null) return text;
  const who = accountText(accountId, accountName);
  const via = findText(`via_${facade}`);
  return via === undefined ? `${text} · ${who}` : `${text} · ${who}, ${via}`;
}

function Details({ sequence, what, detailsDeletedAt }: Entry): JSX.Element {
  if (detailsDeletedAt !== null)
    return (
      <small class="quiet block">{t('custodyDetailsDeleted', { at: formatTime(detailsDeletedAt) })}</small>
    );
  const { models, error, classification, reason } = (what ?? {}) as Readonly<Record<string, unknown>>;
  return (
    <>
      {Array.isArray(models) &&
        models.map(({ model, sha256, device }: Record<string, string | null>) => (
          <small key={model} class="quiet block long">
            {[model, device, sha256 === null ? null : `SHA-256 ${sha256}`].filter(Boolean).join(' · ')}
          </small>
        ))}
      {changesIn(what).map((change) => (
        <small key={change.answer} class="block">
          {describeChange(change)}
        </small>
      ))}
      {typeof error === 'string' && error !== '' && <q>{saySentence(showText(error))}</q>}
      {typeof classification === 'string' && (
        <strong> {t(classification === 'human' ? 'human' : 'artificial')}</strong>
      )}
      {typeof reason === 'string' && reason !== '' && <q>{showText(reason)}</q>}
      <small class="quiet block">{t('custodyEntry', { sequence })}</small>
    </>
  );
}
