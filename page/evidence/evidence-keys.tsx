import type { JSX } from 'preact';
import { READ_EVIDENCE_KEYS } from '../gen/documents.ts';
import { formatTime } from '../parts/format.ts';
import { CopyButton, Facts, Panel } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

export function EvidenceKeysPanel(): JSX.Element | null {
  const { data } = useQuery(READ_EVIDENCE_KEYS, {});
  const keys = data?.evidenceKeys ?? [];
  const [present] = keys;
  if (present === undefined) return null;
  return (
    <Panel title={t('evidenceKey')}>
      <p class="quiet">{t('evidenceKeyLead')}</p>
      <Facts
        rows={keys.map(({ fingerprint, retiredAt }) => [
          retiredAt === null ? t('evidenceKeySigns') : t('evidenceKeyUntil', { time: formatTime(retiredAt) }),
          <code key={fingerprint} class="long">
            {fingerprint}
          </code>,
        ])}
      />
      <CopyButton text={present.fingerprint} label={t('copy')} />
    </Panel>
  );
}
