import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import { type Plan, READ_PLANS } from '../gen/documents.ts';
import type { AccountInfo } from '../parts/api.ts';
import { formatBytes, formatNumber } from '../parts/format.ts';
import { Button, Facts, Fault, Loading, Panel, Title } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { findText, t } from '../texts/language.ts';
import { kindName } from '../texts/names.ts';
import { PlanDialog } from './plan-dialog.tsx';

export function PlansPage({ account }: { account: AccountInfo }): JSX.Element {
  const { data, error, isLoading, reload } = useQuery(READ_PLANS, {});
  const [edited, setEdited] = useState<Plan | 'new' | null>(null);
  const isAdmin = account.role === 'admin';
  return (
    <>
      <div class="page-head">
        <Title>{t('navPlans')}</Title>
        {isAdmin && (
          <Button kind="main" onPress={() => setEdited('new')}>
            {t('createPlan')}
          </Button>
        )}
      </div>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      <div class="columns">
        {data?.plans.map((plan) => (
          <Panel key={plan.id} title={showText(plan.name)}>
            <PlanFacts {...{ plan }} />
            {isAdmin && (
              <Button label={`${t('edit')}: ${showText(plan.name)}`} onPress={() => setEdited(plan)}>
                {t('edit')}
              </Button>
            )}
          </Panel>
        ))}
      </div>
      {edited !== null && (
        <PlanDialog
          plan={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onDone={() => {
            setEdited(null);
            void reload();
          }}
        />
      )}
    </>
  );
}

function PlanFacts({ plan }: { plan: Plan }): JSX.Element {
  const kinds = plan.kinds.map(({ kind, credits, fileBytesMax }) =>
    t('kindPrice', { kind: kindName(kind), credits: formatNumber(credits), size: formatBytes(fileBytesMax) }),
  );
  return (
    <Facts
      rows={[
        [t('sku'), <code key="sku">{plan.sku}</code>],
        [
          t('kind'),
          <span key="kinds" class="lines">
            {kinds.join('\n')}
          </span>,
        ],
        [
          t('options'),
          plan.options.map((option) => findText(`planOption_${option}`) ?? option).join(', ') || '–',
        ],
        [
          t('rateLimit'),
          plan.rateLimitPerMinute === 0 ? t('noLimit') : formatNumber(plan.rateLimitPerMinute),
        ],
        [t('signatureRule'), t(`signatureRule_${plan.c2paPolicy}`)],
        [
          t('retention'),
          plan.zeroRetention
            ? t('zeroRetention')
            : t('retentionDays', { media: keptFor(plan.mediaDays), record: keptFor(plan.recordDays) }),
        ],
      ]}
    />
  );
}

const keptFor = (days: number): string => (days === 0 ? t('untilDeleted') : t('days', { days }));
