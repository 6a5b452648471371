/** Rules of notices: who is notified of which ended records, tried with a button. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  CREATE_NOTICE_RULE,
  type MediaKind,
  type NoticeChannel,
  type Outcome,
  READ_NOTICE_RULES,
  REMOVE_NOTICE_RULE,
  type AllOfNoticeRule as Rule,
  SET_NOTICE_RULE_PAUSED,
  TEST_NOTICE_RULE,
} from '../gen/documents.ts';
import { change, session } from '../parts/api.ts';
import { AskedForm } from '../parts/form.tsx';
import { Fault, Notice, Panel } from '../parts/parts.tsx';
import { Rows } from '../parts/rows.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { useCell } from '../state/cell.ts';
import { findText, t } from '../texts/language.ts';
import { kindName } from '../texts/names.ts';

const CHANNELS: readonly NoticeChannel[] = ['SLACK', 'TEAMS', 'MATTERMOST', 'EMAIL'];
const OUTCOMES: readonly Outcome[] = ['ARTIFICIAL', 'HUMAN', 'INCONCLUSIVE', 'NOT_APPLICABLE', 'FAILED'];
const KINDS: readonly MediaKind[] = ['IMAGE', 'VIDEO', 'AUDIO'];

const outcomeText = (outcome: Outcome): string =>
  findText(`outcome_${outcome.toLowerCase()}`) ?? outcome.toLowerCase();

export function Notices(): JSX.Element {
  const { data, error, reload } = useQuery(READ_NOTICE_RULES, {});
  const rules = data?.noticeRules ?? [];
  return (
    <Panel title={t('notices')}>
      <p class="quiet">{t('noticesLead')}</p>
      <Fault {...{ error }} />
      {data !== undefined && rules.length === 0 && <p class="quiet">{t('noNotices')}</p>}
      {rules.length > 0 && <Rules {...{ rules }} onChanged={() => void reload()} />}
      <details>
        <summary>{t('noticeAdd')}</summary>
        <AddRule onAdded={() => void reload()} />
      </details>
    </Panel>
  );
}

function Rules({ rules, onChanged }: { rules: readonly Rule[]; onChanged: () => void }): JSX.Element {
  const { isBusy, fault, run } = useWork(onChanged);
  const [tested, setTested] = useState<{ delivered: boolean; error: string } | null>(null);
  const pause =
    (paused: boolean) =>
    ({ id }: Rule) =>
      run(() => change(SET_NOTICE_RULE_PAUSED, { id, paused }));
  return (
    <>
      <Rows
        caption={t('notices')}
        items={rules}
        keyOf={({ id }) => id}
        {...{ isBusy }}
        columns={[
          [t('noticeName'), ({ name }) => showText(name)],
          [
            t('noticeChannel'),
            ({ channel, target }) => `${t(`channel_${channel}`)} ${showText(target)}`,
            'long',
          ],
          [t('noticeOutcome'), ({ outcomes }) => outcomes.map(outcomeText).join(', ') || t('noticeAny')],
          [t('noticeKind'), ({ kinds }) => kinds.map(kindName).join(', ') || t('noticeAny')],
          [t('state'), (rule) => <State {...{ rule }} />],
        ]}
        actions={[
          {
            text: t('noticeTest'),
            press: ({ id }) => run(async () => setTested(await change(TEST_NOTICE_RULE, { id }))),
          },
          { text: t('folderResume'), when: ({ isPaused }) => isPaused, press: pause(false) },
          { text: t('folderPause'), when: ({ isPaused }) => !isPaused, press: pause(true) },
          { text: t('noticeRemove'), press: ({ id }) => run(() => change(REMOVE_NOTICE_RULE, { id })) },
        ]}
      />
      <Fault error={fault} />
      {tested !== null && (
        <Notice kind={tested.delivered ? 'good' : 'bad'}>
          {tested.delivered
            ? t('noticeDelivered')
            : t('noticeNotDelivered', { reason: showText(tested.error) })}
        </Notice>
      )}
    </>
  );
}

function State({ rule: { isPaused, reason } }: { rule: Rule }): JSX.Element {
  return (
    <>
      {isPaused ? t('noticePaused') : t('noticeOn')} <small class="quiet">{showText(reason)}</small>
    </>
  );
}

const START = {
  channel: 'SLACK' as NoticeChannel,
  target: '',
  name: '',
  outcome: 'ARTIFICIAL' as Outcome | '',
  kind: '' as MediaKind | '',
  ofEveryAccount: false,
};

function AddRule({ onAdded }: { onAdded: () => void }): JSX.Element {
  const isAdmin = useCell(session)?.account?.role === 'admin';
  const channels = CHANNELS.map((one) => [one, t(`channel_${one}`)] as const);
  const any = ['', t('noticeAny')] as const;
  return (
    <AskedForm
      start={START}
      asked={[
        { of: 'channel', label: t('noticeChannel'), options: channels },
        { of: 'target', label: t('noticeTarget'), hint: t('noticeTargetLead'), isRequired: true },
        { of: 'name', label: t('noticeName') },
        {
          of: 'outcome',
          label: t('noticeOutcome'),
          options: [any, ...OUTCOMES.map((one) => [one, outcomeText(one)] as const)],
        },
        {
          of: 'kind',
          label: t('noticeKind'),
          options: [any, ...KINDS.map((one) => [one, kindName(one)] as const)],
        },
        { of: 'ofEveryAccount', label: t('noticeEveryAccount'), when: isAdmin },
      ]}
      text={t('save')}
      send={async ({ name, outcome, kind, ...said }, put) => {
        const outcomes = outcome === '' ? [] : [outcome];
        const kinds = kind === '' ? [] : [kind];
        const named = name.trim() === '' ? {} : { name };
        await change(CREATE_NOTICE_RULE, { input: { ...named, ...said, outcomes, kinds } });
        put({ target: '', name: '' });
        onAdded();
      }}
    />
  );
}
