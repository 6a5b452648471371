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
import { Button, Check, Fault, Field, Form, Notice, Panel, Select, Table } from '../parts/parts.tsx';
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
  return (
    <>
      <Table
        caption={t('notices')}
        head={[t('noticeName'), t('noticeChannel'), t('noticeOutcome'), t('noticeKind'), t('state'), '']}
      >
        {rules.map((rule) => (
          <tr key={rule.id}>
            <td>{showText(rule.name)}</td>
            <td class="long">
              {t(`channel_${rule.channel}`)} {showText(rule.target)}
            </td>
            <td>{rule.outcomes.map(outcomeText).join(', ') || t('noticeAny')}</td>
            <td>{rule.kinds.map(kindName).join(', ') || t('noticeAny')}</td>
            <td>
              {rule.isPaused ? t('noticePaused') : t('noticeOn')}{' '}
              <small class="quiet">{showText(rule.reason)}</small>
            </td>
            <td>
              <Button
                {...{ isBusy }}
                onPress={() =>
                  void run(async () => setTested(await change(TEST_NOTICE_RULE, { id: rule.id })))
                }
              >
                {t('noticeTest')}
              </Button>
              <Button
                {...{ isBusy }}
                onPress={() =>
                  void run(() => change(SET_NOTICE_RULE_PAUSED, { id: rule.id, paused: !rule.isPaused }))
                }
              >
                {rule.isPaused ? t('folderResume') : t('folderPause')}
              </Button>
              <Button
                {...{ isBusy }}
                onPress={() => void run(() => change(REMOVE_NOTICE_RULE, { id: rule.id }))}
              >
                {t('noticeRemove')}
              </Button>
            </td>
          </tr>
        ))}
      </Table>
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

function AddRule({ onAdded }: { onAdded: () => void }): JSX.Element {
  const isAdmin = useCell(session)?.account?.role === 'admin';
  const [name, setName] = useState('');
  const [channel, setChannel] = useState<NoticeChannel>('SLACK');
  const [target, setTarget] = useState('');
  const [outcome, setOutcome] = useState<Outcome | ''>('ARTIFICIAL');
  const [kind, setKind] = useState<MediaKind | ''>('');
  const [ofEveryAccount, setEvery] = useState(false);
  const { isBusy, fault, run } = useWork();
  const add = async (): Promise<void> => {
    const outcomes = outcome === '' ? [] : [outcome];
    const kinds = kind === '' ? [] : [kind];
    const named = name.trim() === '' ? {} : { name };
    const input = { ...named, channel, target, outcomes, kinds, ofEveryAccount };
    if (!(await run(() => change(CREATE_NOTICE_RULE, { input })))) return;
    setTarget('');
    setName('');
    onAdded();
  };
  const any = ['', t('noticeAny')] as const;
  return (
    <Form onSend={() => void add()}>
      <Select
        label={t('noticeChannel')}
        value={channel}
        options={CHANNELS.map((one) => [one, t(`channel_${one}`)] as const)}
        onValue={setChannel}
      />
      <Field
        label={t('noticeTarget')}
        hint={t('noticeTargetLead')}
        name="target"
        isRequired
        value={target}
        onValue={setTarget}
      />
      <Field label={t('noticeName')} name="name" value={name} onValue={setName} />
      <Select
        label={t('noticeOutcome')}
        value={outcome}
        options={[any, ...OUTCOMES.map((one) => [one, outcomeText(one)] as const)]}
        onValue={setOutcome}
      />
      <Select
        label={t('noticeKind')}
        value={kind}
        options={[any, ...KINDS.map((one) => [one, kindName(one)] as const)]}
        onValue={setKind}
      />
      {isAdmin && <Check label={t('noticeEveryAccount')} isOn={ofEveryAccount} onValue={setEvery} />}
      <p class="actions">
        <Button type="submit" {...{ isBusy }}>
          {t('save')}
        </Button>
      </p>
      <Fault error={fault} />
    </Form>
  );
}
