import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ADD_TRUST_LIST } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { Button, Check, Fault, Field, Form, Panel, Select } from '../parts/parts.tsx';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { ListFile } from './list-file.tsx';

const KINDS = ['SIGNERS', 'TIME', 'SIGNERS_AND_TIME', 'PRODUCTS'] as const;
const EMPTY = { id: '', name: '', source: '', terms: '', date: '', content: '', single: false };

export function AddPanel({ onAdded }: { onAdded: () => void }): JSX.Element {
  const [given, setGiven] = useState(EMPTY);
  const [kind, setKind] = useState<(typeof KINDS)[number]>('SIGNERS');
  const { isBusy, fault, run } = useWork();
  const put = (part: Partial<typeof EMPTY>): void => setGiven((before) => ({ ...before, ...part }));
  const add = async (): Promise<void> => {
    if (!(await run(() => change(ADD_TRUST_LIST, { ...given, kind })))) return;
    setGiven(EMPTY);
    onAdded();
  };
  const { id, name, source, terms, date, content, single } = given;
  return (
    <Panel title={t('trustAdd')}>
      <Form onSend={() => void add()}>
        <Field
          label={t('trustId')}
          hint={t('trustIdLead')}
          name="id"
          isRequired
          value={id}
          onValue={(value) => put({ id: value })}
        />
        <ListFile onContent={(text) => put({ content: text })} />
        <Select
          label={t('trustKind')}
          value={kind}
          options={KINDS.map((one) => [one, t(`trustKind_${one}`)] as const)}
          onValue={setKind}
        />
        <Check label={t('trustSingle')} isOn={single} onValue={(isOn) => put({ single: isOn })} />
        <Field
          label={t('trustDay')}
          name="date"
          type="date"
          isRequired
          value={date}
          onValue={(value) => put({ date: value })}
        />
        <Field label={t('trustName')} name="name" value={name} onValue={(value) => put({ name: value })} />
        <Field
          label={t('trustSource')}
          name="source"
          value={source}
          onValue={(value) => put({ source: value })}
        />
        <Field
          label={t('trustTerms')}
          name="terms"
          value={terms}
          onValue={(value) => put({ terms: value })}
        />
        <p class="actions">
          <Button kind="main" type="submit" {...{ isBusy }} isDisabled={content === ''}>
            {t('trustAdd')}
          </Button>
        </p>
      </Form>
      <Fault error={fault} />
    </Panel>
  );
}
