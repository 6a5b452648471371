/** Forms: what one asks for as rows, the button that sends, and the refusal of the last try. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/language.ts';
import { Button, Check, Fault, Field, LongField, Select } from './parts.tsx';
import { useWork, type Work } from './use-query.ts';

interface FormProps {
  /** The text of the button that sends. */
  text: string;
  kind?: 'plain' | 'main' | 'danger';
  isDisabled?: boolean;
  /** Work that buttons beside the form share; without it the form keeps its own. */
  work?: Work;
  /** Buttons beside the one that sends. */
  beside?: ComponentChildren;
  /** Closes the dialog in which the form stands. */
  onClose?: () => void;
  children?: ComponentChildren;
}

export function Form(props: FormProps & { send: () => Promise<unknown> }): JSX.Element {
  const { text, kind = 'plain', isDisabled = false, beside, onClose, children, send } = props;
  const own = useWork();
  const { isBusy, fault, run } = props.work ?? own;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run(send);
      }}
    >
      {children}
      <Fault error={fault} />
      <p class="actions">
        <Button type="submit" {...{ kind, isBusy, isDisabled }}>
          {text}
        </Button>
        {onClose !== undefined && <Button onPress={onClose}>{t('cancel')}</Button>}
        {beside}
      </p>
    </form>
  );
}

/** What a form asks for: a text or a figure, a choice among options, or a switch, by what the value of the field is. */
export interface Asked<Fields> {
  readonly of: keyof Fields & string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'email' | 'number' | 'password' | 'date' | 'url';
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** Characters of a text of several lines. */
  readonly lengthMax?: number;
  /** Whether the form asks for the field. */
  readonly when?: boolean;
}

type Put<Fields> = (part: Partial<Fields>) => void;

interface FormFieldsProps<Fields> {
  fields: Fields;
  put: Put<Fields>;
  asked: readonly Asked<Fields>[];
}

export function FormFields<Fields extends object>({
  fields,
  put,
  asked,
}: FormFieldsProps<Fields>): JSX.Element {
  return (
    <>
      {asked.map(({ of, options, lengthMax, when = true, ...said }) => {
        const value: unknown = fields[of];
        const onValue = (given: unknown): void => put({ [of]: given } as Partial<Fields>);
        if (!when) return null;
        if (typeof value === 'boolean') return <Check key={of} {...said} isOn={value} {...{ onValue }} />;
        const text = String(value);
        if (options !== undefined)
          return <Select key={of} label={said.label} value={text} {...{ options, onValue }} />;
        if (lengthMax !== undefined)
          return <LongField key={of} name={of} {...said} value={text} {...{ lengthMax, onValue }} />;
        return <Field key={of} name={of} {...said} value={text} {...{ onValue }} />;
      })}
    </>
  );
}

type Rows<Fields> = readonly Asked<Fields>[];

interface AskedFormProps<Fields> extends Omit<FormProps, 'beside'> {
  /** What the fields hold when the form opens. */
  start: Fields;
  asked: Rows<Fields> | ((fields: Fields) => Rows<Fields>);
  beside?: ComponentChildren | ((fields: Fields) => ComponentChildren);
  send: (fields: Fields, put: Put<Fields>) => Promise<unknown>;
}

/** A form that keeps its own fields. */
export function AskedForm<Fields extends object>(props: AskedFormProps<Fields>): JSX.Element {
  const { start, asked, beside, send, children, ...form } = props;
  const [fields, setFields] = useState(start);
  const put: Put<Fields> = (part) => setFields((before) => ({ ...before, ...part }));
  return (
    <Form
      {...form}
      send={() => send(fields, put)}
      beside={typeof beside === 'function' ? beside(fields) : beside}
    >
      <FormFields {...{ fields, put }} asked={typeof asked === 'function' ? asked(fields) : asked} />
      {children}
    </Form>
  );
}
