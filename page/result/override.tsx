/** A person's own finding, with its reason; what was measured stays beside it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type FullRecord, type Label, REMOVE_OVERRIDE, SET_OVERRIDE } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { Fold } from '../parts/fold.tsx';
import { Form } from '../parts/form.tsx';
import { Button, LongField } from '../parts/parts.tsx';
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
  const work = useWork();
  const about = { kind, hash };
  const set = async (): Promise<void> => {
    if (classification === null) return;
    await change(SET_OVERRIDE, { input: { ...about, classification, reason } });
    onChange();
  };
  const remove = async (): Promise<void> => {
    await change(REMOVE_OVERRIDE, { input: about });
    onChange();
  };
  return (
    <div class="unprinted">
      <Fold anchor="finding" title={t('override')}>
        <p class="quiet">{t('overrideLead')}</p>
        <Form
          kind="main"
          text={t('overrideSave')}
          {...{ work }}
          send={set}
          beside={
            forceClassification !== null && (
              <Button isBusy={work.isBusy} onPress={() => void work.run(remove)}>
                {t('overrideRemove')}
              </Button>
            )
          }
        >
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
        </Form>
      </Fold>
    </div>
  );
}
