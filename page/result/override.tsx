/** A person's own finding, with its reason; what was measured stays beside it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type FullRecord, type Label, REMOVE_OVERRIDE, SET_OVERRIDE } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { Fold } from '../parts/fold.tsx';
import { Button, Fault, Form, LongField } from '../parts/parts.tsx';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

const REASON_CHARACTERS_MAX = 1000;
const CHOICES = [
  ['HUMAN', 'human'],
  ['ARTIFICIAL', 'artificial'],
] as const;

export function OverridePanel({
  record,
  onChange,
}: {
  record: FullRecord;
  onChange: () => void;
}): JSX.Element {
  const { kind, hash, forceClassification } = record;
  const [classification, setClassification] = useState<Label | null>(forceClassification);
  const [reason, setReason] = useState('');
  const { isBusy, fault, run } = useWork();
  const send = async (work: () => Promise<unknown>): Promise<void> => {
    if (await run(work)) onChange();
  };
  const set = (): void => {
    if (classification === null) return;
    void send(() => change(SET_OVERRIDE, { input: { kind, hash, classification, reason } }));
  };
  const remove = () => change(REMOVE_OVERRIDE, { input: { kind, hash } });
  return (
    <div class="unprinted">
      <Fold anchor="finding" title={t('override')}>
        <p class="quiet">{t('overrideLead')}</p>
        <Form onSend={set}>
          <fieldset class="choices">
            <legend>{t('yourFinding')}</legend>
            {CHOICES.map(([label, text]) => (
              <label key={label}>
                <input
                  type="radio"
                  name="classification"
                  required
                  checked={classification === label}
                  onChange={() => setClassification(label)}
                />
                {t(text)}
              </label>
            ))}
          </fieldset>
          <LongField
            label={t('reason')}
            name="reason"
            lengthMax={REASON_CHARACTERS_MAX}
            isRequired
            value={reason}
            onValue={setReason}
          />
          <Fault error={fault} />
          <p class="actions">
            <Button kind="main" type="submit" {...{ isBusy }}>
              {t('overrideSave')}
            </Button>
            {forceClassification !== null && (
              <Button {...{ isBusy }} onPress={() => void send(remove)}>
                {t('overrideRemove')}
              </Button>
            )}
          </p>
        </Form>
      </Fold>
    </div>
  );
}
