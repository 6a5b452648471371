/** Webhooks: the secret that signs them, and every delivery with its attempts, live. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  FOLLOW_DELIVERIES,
  READ_DELIVERIES,
  READ_WEBHOOK_SECRET,
  REPLAY_DELIVERY,
  ROTATE_WEBHOOK_SECRET,
  type WebhookDelivery,
} from '../gen/documents.ts';
import { ask, change } from '../parts/api.ts';
import { formatNumber } from '../parts/format.ts';
import { useLive } from '../parts/live.ts';
import { usePaged } from '../parts/paged.tsx';
import { Button, CopyButton, Empty, Fault, Panel, Time, Title } from '../parts/parts.tsx';
import { RecordLink } from '../parts/record-link.tsx';
import { PagedRows } from '../parts/rows.tsx';
import { SettingNote } from '../parts/setting-note.tsx';
import { useWork } from '../parts/use-query.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';
import { Notices } from './notices.tsx';

export function WebhooksPage(): JSX.Element {
  const deliveries = usePaged(READ_DELIVERIES, {}, ({ viewer }) => viewer.deliveries);
  const { fault, run } = useWork();
  const put = (delivery: WebhookDelivery): void => deliveries.put(delivery, ({ id }) => id === delivery.id);
  useLive(FOLLOW_DELIVERIES, {}, ({ deliveries: changed }) => put(changed), deliveries.reload);
  const replay = (id: string): Promise<boolean> =>
    run(async () => put((await change(REPLAY_DELIVERY, { id })).delivery));
  return (
    <>
      <Title>{t('menuWebhooks')}</Title>
      <SecretPanel />
      <Notices />
      <SettingNote name="webhook.allow_networks" lead={t('webhookNetworksLead')} />
      <Fault error={deliveries.error ?? fault} />
      <PagedRows
        of={deliveries}
        none={
          <Empty title={t('noDeliveries')}>
            <p>{t('noDeliveriesLead')}</p>
          </Empty>
        }
        caption={t('deliveries')}
        keyOf={({ id }) => id}
        columns={[
          [t('when'), ({ createdAt }) => <Time iso={createdAt} />],
          [t('record'), ({ identifier }) => <RecordLink {...{ identifier }} />],
          [t('receiver'), ({ url }) => url, 'long'],
          [t('state'), ({ state }) => t(`delivery_${state}` as TextKey)],
          [t('attempts'), (delivery) => <Attempts {...delivery} />],
        ]}
        actions={[{ text: t('replay'), press: ({ id }) => replay(id) }]}
      />
    </>
  );
}

function Attempts({ attempts }: Pick<WebhookDelivery, 'attempts'>): JSX.Element {
  const last = attempts.at(-1);
  return (
    <>
      <span class="figure">{attempts.length}</span>
      {last !== undefined && (
        <small class="quiet">
          {' '}
          {last.status ?? last.error} · {formatNumber(last.elapsedMs)} ms
        </small>
      )}
    </>
  );
}

function SecretPanel(): JSX.Element {
  const [secret, setSecret] = useState<string | null>(null);
  const { isBusy, fault, run } = useWork();
  const show = (): Promise<boolean> =>
    run(async () => {
      const { viewer } = await ask(READ_WEBHOOK_SECRET, {});
      setSecret(viewer.webhookSecret);
    });
  const rotate = (): Promise<boolean> =>
    run(async () => setSecret((await change(ROTATE_WEBHOOK_SECRET, {})).secret));
  return (
    <Panel title={t('webhookSecret')}>
      <p class="quiet">{t('webhookSecretLead')}</p>
      {secret !== null && <code class="long">{secret}</code>}
      <Fault error={fault} />
      <p class="actions">
        {secret === null ? (
          <Button {...{ isBusy }} onPress={() => void show()}>
            {t('show')}
          </Button>
        ) : (
          <CopyButton text={secret} label={t('copy')} />
        )}
        <Button {...{ isBusy }} onPress={() => void rotate()}>
          {t('rotate')}
        </Button>
      </p>
    </Panel>
  );
}
