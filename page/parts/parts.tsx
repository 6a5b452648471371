/** Small pieces that every page is made of. */
import { type ComponentChildren, h, type JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/language.ts';
import type { ApiError } from './api.ts';
import { formatAge, formatTime, formatUtc } from './format.ts';

type Children = { children?: ComponentChildren };

export function Title({ children }: Children): JSX.Element {
  const text = typeof children === 'string' ? children : 'Assay';
  useEffect(() => {
    document.title = text === 'Assay' ? text : `${text} · Assay`;
  }, [text]);
  return <h1>{children}</h1>;
}

export function Notice({
  kind = 'info',
  children,
}: Children & { kind?: 'info' | 'good' | 'bad' }): JSX.Element {
  return (
    <p class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </p>
  );
}

export function Fault({ error }: { error: ApiError | undefined }): JSX.Element | null {
  return error === undefined ? null : <Notice kind="bad">{error.message}</Notice>;
}

export function Loading(): JSX.Element {
  return (
    <p class="quiet loading" role="status">
      {t('loading')}
    </p>
  );
}

export function Empty({ title, children }: Children & { title: string }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function Time({ iso, isAge = false }: { iso: string; isAge?: boolean }): JSX.Element {
  return (
    <time dateTime={iso} title={formatUtc(iso)}>
      {isAge ? formatAge(iso) : formatTime(iso)}
    </time>
  );
}

interface FieldProps {
  label: string;
  name: string;
  type?: string;
  value: string;
  hint?: string | undefined;
  error?: string | undefined;
  isRequired?: boolean;
  autocomplete?: string;
  onValue: (value: string) => void;
}

export function Field(props: FieldProps): JSX.Element {
  const { label, name, type = 'text', value, hint, error, isRequired = false, autocomplete, onValue } = props;
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ id, name, type, value }}
        required={isRequired}
        autocomplete={(autocomplete ?? 'off') as 'off'}
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {note !== undefined && (
        <small id={`${id}-note`} class={error === undefined ? 'quiet' : 'wrong'}>
          {note}
        </small>
      )}
    </div>
  );
}

interface LongFieldProps {
  label: string;
  name: string;
  value: string;
  lengthMax: number;
  isRequired?: boolean;
  hint?: string;
  onValue: (value: string) => void;
}

/** A list of sentences, such as reasons and notes. */
export function LongField(props: LongFieldProps): JSX.Element {
  const { label, name, value, lengthMax, isRequired = false, hint, onValue } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...{ id, name, value }}
        rows={3}
        required={isRequired}
        maxLength={lengthMax}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
    </div>
  );
}

interface SelectProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [value: NoInfer<Value>, label: string])[];
  isInline?: boolean;
  onValue: (value: NoInfer<Value>) => void;
}

export function Select<Value extends string>({
  label,
  value,
  options,
  isInline = false,
  onValue,
}: SelectProps<Value>): JSX.Element {
  const id = useId();
  return (
    <div class={isInline ? 'field inline' : 'field'}>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value as Value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckProps {
  label: string;
  hint?: string;
  isOn: boolean;
  onValue: (isOn: boolean) => void;
}

export function Check({ label, hint, isOn, onValue }: CheckProps): JSX.Element {
  const id = useId();
  return (
    <div class="check">
      <input
        {...{ id }}
        type="checkbox"
        checked={isOn}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <label for={id}>
        {label}
        {hint !== undefined && <small class="quiet">{hint}</small>}
      </label>
    </div>
  );
}

interface ButtonProps extends Children {
  kind?: 'plain' | 'main' | 'danger' | 'link';
  type?: 'button' | 'submit';
  isBusy?: boolean;
  isDisabled?: boolean;
  label?: string;
  onPress?: () => void;
}

export function Button(props: ButtonProps): JSX.Element {
  const {
    kind = 'plain',
    type = 'button',
    isBusy = false,
    isDisabled = false,
    label,
    onPress,
    children,
  } = props;
  return (
    <button
      {...{ type }}
      class={`button ${kind}`}
      {...(label === undefined ? {} : { 'aria-label': label, title: label })}
      {...(onPress === undefined ? {} : { onClick: onPress })}
      aria-busy={isBusy}
      disabled={isDisabled || isBusy}
    >
      {children}
    </button>
  );
}

/** The browser's own modal dialog: it keeps the focus inside and closes by Escape. */
export function Dialog({
  title,
  onClose,
  children,
}: Children & { title: string; onClose: () => void }): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.addEventListener('close', onClose);
    return () => dialog?.removeEventListener('close', onClose);
  }, []);
  return (
    <dialog {...{ ref }} aria-labelledby={id}>
      <h2 {...{ id }}>{title}</h2>
      {children}
    </dialog>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Button onPress={() => void copy()}>
      <span aria-live="polite">{isCopied ? t('copied') : label}</span>
    </Button>
  );
}

/** A table that scrolls by itself on a narrow page, so that the page does not. */
export function Table({
  caption,
  head,
  children,
}: Children & { caption: string; head: readonly string[] }): JSX.Element {
  const section = useRef<HTMLElement>(null);
  // On a telephone each cell stands on a line of its own and says which column it is of.
  useLayoutEffect(() => {
    for (const row of section.current?.querySelectorAll<HTMLTableRowElement>('tbody tr') ?? []) {
      for (const [index, cell] of [...row.cells].entries()) cell.dataset.label = head[index] ?? '';
    }
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section class="table" aria-label={caption} tabIndex={0} ref={section}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {head.map((text, index) => (
              <th key={index} scope="col">
                {text === '' ? <span class="unseen">{t('actions')}</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function Facts({
  rows,
}: {
  rows: readonly (readonly [label: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Panel({ title, children }: Children & { title: string }): JSX.Element {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 {...{ id }}>{title}</h2>
      {children}
    </section>
  );
}

/** An element that the library's types do not know yet. */
export function Search({ children }: Children): JSX.Element {
  return h('search', { class: 'filters' }, children);
}
