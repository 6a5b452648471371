/** Analyses that can still be added, with their prices before the click, and their progress. */
import type { JSX } from 'preact';
import { ANALYSES } from '../gen/analyses.ts';
import { ADD_ANALYSES, CANCEL_RECORD, type FullRecord, READ_OWN_TERMS } from '../gen/documents.ts';
import { type AccountInfo, change } from '../parts/api.ts';
import { Button, Fault, Notice } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { stepName } from '../records/record-row.tsx';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { findText, t } from '../texts/language.ts';

interface AddProps {
  record: FullRecord;
  account: AccountInfo;
  onChange: () => void;
}

export function AddAnalyses({ record, account, onChange }: AddProps): JSX.Element | null {
  const { data } = useQuery(READ_OWN_TERMS, {});
  const { isBusy, fault, run } = useWork(onChange);
  const { identifier, added, options, kind } = record;
  if (account.readonly || !record.rights.includes('CHANGE') || record.status !== 'DONE') return null;
  const plan = data?.viewer.plan;
  const allowed = (plan?.options ?? []).map((name) => name.toLowerCase());
  const missing = ANALYSES.filter(
    ([name, option, , kinds]) =>
      kinds.some((one) => one === kind) && allowed.includes(name) && !options[option],
  );
  const priceOf = (name: string): number =>
    plan?.optionCredits.find(({ option }) => option.toLowerCase() === name)?.credits ?? 0;
  if (added !== null && added.progress !== null) {
    return (
      <Making
        {...{ added }}
        {...{ isBusy }}
        onCancel={() => void run(() => change(CANCEL_RECORD, { identifier }))}
      />
    );
  }
  if (missing.length === 0 && added === null) return null;
  return (
    <div class="add-analyses unprinted">
      {added !== null && (
        <Notice kind="bad">
          {t('addingFailed', { what: namesOf(added.analyses), reason: saySentence(added.error) })}
        </Notice>
      )}
      <p class="actions">
        {missing.map(([name]) => (
          <Button
            key={name}
            {...{ isBusy }}
            onPress={() => void run(() => change(ADD_ANALYSES, { identifier, analyses: [name] }))}
          >
            {priceOf(name) === 0
              ? nameOf(name)
              : t('makeFor', { what: nameOf(name), credits: priceOf(name) })}
          </Button>
        ))}
      </p>
      <Fault error={fault} />
    </div>
  );
}

function Making({
  added: { analyses, progress },
  isBusy,
  onCancel,
}: {
  added: NonNullable<FullRecord['added']>;
  isBusy: boolean;
  onCancel: () => void;
}): JSX.Element {
  const { step, done, total } = progress ?? { step: 'queued', done: 0, total: 1 };
  return (
    <div class="add-analyses">
      <p role="status">
        {t('making', { what: namesOf(analyses) })} <span class="quiet">{stepName(step)}</span>
      </p>
      <progress max={Math.max(1, total)} value={done} aria-label={t('progress')} />
      <Button kind="link" {...{ isBusy }} onPress={onCancel}>
        {t('cancelWork')}
      </Button>
    </div>
  );
}

function namesOf(analyses: readonly string[]): string {
  return analyses.map(nameOf).join(', ');
}

function nameOf(analysis: string): string {
  return findText(`analysis_${analysis}`) ?? analysis;
}
