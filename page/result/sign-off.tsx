/** Another person's word on a person's finding: how it stands, asking for it, and giving it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isDisputed, signOffWord } from '../../src/domain/records/finding-words.ts';
import { showText } from '../../src/domain/shown-text.ts';
import {
  ANSWER_SIGN_OFF,
  ASK_SIGN_OFF,
  FOLLOW_RECORDS,
  type FollowRecordsAnswer,
  type FullRecord,
  READ_SIGN_OFF_JUDGES,
  type SignOff,
  type SignOffJudge,
} from '../gen/documents.ts';
import { accountText } from '../parts/account-name.tsx';
import { type AccountInfo, change } from '../parts/api.ts';
import { Fold } from '../parts/fold.tsx';
import { formatTime } from '../parts/format.ts';
import { useLive } from '../parts/live.ts';
import { Button, Fault, LongField, Notice, Time } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

const REASON_CHARACTERS_MAX = 1000;

interface PanelProps {
  record: FullRecord;
  account: AccountInfo;
  onChange: () => void;
}

function mayAnswer({ signOff, rights }: FullRecord, account: AccountInfo): boolean {
  return signOff !== null && signOff.byAccountId !== String(account.id) && rights.includes('SIGN_OFF');
}

/** The state as a sentence. Only an answer is ever called agreed. */
export function signOffSentence(signOff: SignOff): string {
  return t(`signOff_${signOffWord(signOff)}`);
}

export function SignOffPanel({ record, account, onChange }: PanelProps): JSX.Element | null {
  const { identifier, signOff, forceClassification } = record;
  const isAsked = mayAnswer(record, account);
  const take = ({ classifications: changed }: FollowRecordsAnswer): void => {
    if (changed.identifier === identifier) onChange();
  };
  useLive(FOLLOW_RECORDS, { waitsForMe: isAsked }, take, onChange);
  if (forceClassification === null) return null;
  return (
    <Fold anchor="sign-off" title={t('signOff')} isOpen>
      <p class="quiet">{t('signOffLead')}</p>
      {signOff !== null && <Standing {...{ signOff }} />}
      {!account.readonly && isAsked && signOff?.state === 'OPEN' && (
        <AnswerForm ownId={String(account.id)} {...{ identifier, signOff, onChange }} />
      )}
      {!account.readonly && record.rights.includes('FIND') && (
        <AskButton {...{ identifier, signOff, onChange }} />
      )}
    </Fold>
  );
}

function Standing({ signOff }: { signOff: SignOff }): JSX.Element {
  const { state, answers } = signOff;
  return (
    <>
      <Notice kind={state === 'AGREED' ? 'good' : 'info'}>{signOffSentence(signOff)}</Notice>
      <ol class="custody">
        {answers.map((answer) => (
          <li key={answer.at}>
            <Time iso={answer.at} />
            <span>
              {t(answer.agrees ? 'signOffAgreedBy' : 'signOffDisagreedBy', {
                who: accountText(answer.byAccountId, answer.byName),
              })}
              {answer.reason !== '' && <q>{showText(answer.reason)}</q>}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

interface AskProps {
  identifier: string;
  signOff: SignOff | null;
  onChange: () => void;
}

function AskButton({ identifier, signOff, onChange }: AskProps): JSX.Element | null {
  const { isBusy, fault, run } = useWork();
  const isUnasked = signOff === null || signOff.askedAt === null;
  const isDisagreed = signOff?.state === 'DISAGREED' && !isDisputed(signOff);
  if (!isUnasked && !isDisagreed) return null;
  const ask = async (): Promise<void> => {
    if (await run(() => change(ASK_SIGN_OFF, { identifier }))) onChange();
  };
  return (
    <div class="unprinted">
      <p class="quiet">{t('signOffAskLead')}</p>
      <Judges {...{ identifier }} />
      <Fault error={fault} />
      <Button {...{ isBusy }} onPress={() => void ask()}>
        {t(isUnasked ? 'signOffAsk' : 'signOffAskAgain')}
      </Button>
    </div>
  );
}

/** Shows who may answer, before the question is asked. */
function Judges({ identifier }: { identifier: string }): JSX.Element {
  const { data, error } = useQuery(READ_SIGN_OFF_JUDGES, { identifier });
  const judges = data?.signOffJudges ?? [];
  const excluded = judges.filter(({ obstacles }) => obstacles.length > 0);
  const free = judges.filter(({ obstacles }) => obstacles.length === 0).map(({ name }) => showText(name));
  return (
    <>
      <Fault {...{ error }} />
      {data !== undefined && (
        <p>{free.length === 0 ? t('signOffNone') : t('signOffMayAnswer', { names: free.join(', ') })}</p>
      )}
      {excluded.length > 0 && (
        <ul>
          {excluded.map((judge) => (
            <li key={judge.accountId}>
              {t('signOffExcluded', { name: showText(judge.name), reason: obstacleSentence(judge) })}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The daemon's sentence in the reader's language. */
function obstacleSentence({ obstacles, obstacleDays: days }: SignOffJudge): string {
  const parts = obstacles.map(({ code, accountId, accountName, actorId, actorName, keyId, at }) =>
    t(`obstacle_${code}`, {
      account: numbered(accountId, accountName),
      actor: numbered(actorId ?? '', actorName),
      key: keyId ?? '',
      day: at === null ? '' : formatTime(at),
    }),
  );
  return [...parts, ...(days === 0 ? [] : [t('obstacleDays', { days })])].join('; ');
}

/** Two accounts may have the same name, so the number follows it. */
function numbered(id: string, name: string): string {
  return name === '' ? t('accountNumber', { id }) : `${showText(name)} (${id})`;
}

interface AnswerProps extends AskProps {
  signOff: SignOff;
  ownId: string;
}

function AnswerForm({ identifier, signOff, ownId, onChange }: AnswerProps): JSX.Element {
  const { classification, findingAt, reason: why } = signOff;
  const [reason, setReason] = useState('');
  const { isBusy, fault, run } = useWork();
  const { data } = useQuery(READ_SIGN_OFF_JUDGES, { identifier });
  const obstacle = data?.signOffJudges?.find(
    ({ accountId, obstacles }) => accountId === ownId && obstacles.length > 0,
  );
  const answer = async (agrees: boolean): Promise<void> => {
    const input = { identifier, findingAt, agrees, reason };
    if (await run(() => change(ANSWER_SIGN_OFF, { input }))) onChange();
  };
  return (
    <div class="unprinted">
      <p>
        {t('signOffQuestion', {
          who: accountText(signOff.byAccountId, signOff.byName),
          classification: t(classification === 'HUMAN' ? 'human' : 'artificial'),
        })}{' '}
        {why !== '' && <q>{showText(why)}</q>}
      </p>
      {obstacle !== undefined && (
        <Notice kind="info">{t('signOffExcludedSelf', { reason: obstacleSentence(obstacle) })}</Notice>
      )}
      <LongField
        label={t('signOffReason')}
        name="sign-off-reason"
        lengthMax={REASON_CHARACTERS_MAX}
        value={reason}
        onValue={setReason}
      />
      <Fault error={fault} />
      <p class="actions">
        <Button
          kind="main"
          {...{ isBusy }}
          isDisabled={obstacle !== undefined}
          onPress={() => void answer(true)}
        >
          {t('signOffAgree')}
        </Button>
        <Button {...{ isBusy }} isDisabled={reason.trim() === ''} onPress={() => void answer(false)}>
          {t('signOffDisagree')}
        </Button>
      </p>
    </div>
  );
}
