import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import { ANALYSES } from '../gen/analyses.ts';
import { type C2paPolicy, CREATE_PLAN, type Plan, type PlanInput, UPDATE_PLAN } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { Form, FormFields } from '../parts/form.tsx';
import { Check, Dialog, Field } from '../parts/parts.tsx';
import { findText, t } from '../texts/language.ts';
import { kindName } from '../texts/names.ts';

const KINDS = ['IMAGE', 'VIDEO', 'AUDIO'] as const;
const OPTIONS = [...ANALYSES.map(([analysis]) => analysis), 'webhook', 'foreign_types'];

/** The rules by which a signature makes older programs read `artificial`. */
export const C2PA_POLICIES = ['ANY', 'GENERATIVE', 'NEVER'] as const satisfies readonly C2paPolicy[];

const SWITCHES = ['zeroRetention', 'seenBeforeAcrossUsers', 'fourEyes'] as const;

/** What a new plan has if nothing is said (`domain/contract/plan.ts`, which the page does not load). */
const FOUR_EYES_DAYS = 90;

interface DialogProps {
  plan: Plan | null;
  onClose: () => void;
  onDone: () => void;
}

type Fields = ReturnType<typeof startOf>;

interface PartProps {
  fields: Fields;
  put: (part: Partial<Fields>) => void;
}

function startOf(plan: Plan | null) {
  const creditsOf = (kind: string): string =>
    String(plan?.kinds.find((one) => one.kind === kind)?.credits ?? 1);
  return {
    name: plan?.name ?? '',
    sku: plan?.sku ?? '',
    kinds: plan?.kinds.map(({ kind }) => kind) ?? ['IMAGE' as const],
    options: plan?.options.map((option) => option.toLowerCase()) ?? ['heatmap'],
    IMAGE: creditsOf('IMAGE'),
    VIDEO: creditsOf('VIDEO'),
    AUDIO: creditsOf('AUDIO'),
    rate: String(plan?.rateLimitPerMinute ?? 0),
    mediaDays: String(plan?.mediaDays ?? 0),
    recordDays: String(plan?.recordDays ?? 0),
    c2paPolicy: plan?.c2paPolicy ?? 'ANY',
    zeroRetention: plan?.zeroRetention ?? false,
    seenBeforeAcrossUsers: plan?.seenBeforeAcrossUsers ?? false,
    fourEyes: plan?.fourEyes ?? false,
    fourEyesDays: String(plan?.fourEyesDays ?? FOUR_EYES_DAYS),
  };
}

function toInput({ name, sku, kinds, options, ...rest }: Fields): PlanInput {
  const { c2paPolicy, zeroRetention, seenBeforeAcrossUsers, fourEyes, ...figures } = rest;
  return {
    name,
    sku,
    kinds,
    options,
    c2paPolicy,
    zeroRetention,
    seenBeforeAcrossUsers,
    fourEyes,
    imageCredits: Number(figures.IMAGE),
    videoCredits: Number(figures.VIDEO),
    audioCredits: Number(figures.AUDIO),
    rateLimitPerMinute: Number(figures.rate),
    mediaDays: Number(figures.mediaDays),
    recordDays: Number(figures.recordDays),
    fourEyesDays: Number(figures.fourEyesDays),
  };
}

export function PlanDialog({ plan, onClose, onDone }: DialogProps): JSX.Element {
  const [fields, setFields] = useState(startOf(plan));
  const put = (part: Partial<Fields>): void => setFields({ ...fields, ...part });
  const input = toInput(fields);
  const save = () =>
    plan === null ? change(CREATE_PLAN, { input }) : change(UPDATE_PLAN, { id: plan.id, input });
  return (
    <Dialog title={plan === null ? t('createPlan') : showText(plan.name)} {...{ onClose }}>
      <Form
        kind="main"
        text={plan === null ? t('createPlan') : t('save')}
        {...{ onClose }}
        send={() => save().then(onDone)}
      >
        <FormFields
          {...{ fields, put }}
          asked={[
            { of: 'name', label: t('name'), isRequired: true },
            { of: 'sku', label: t('sku'), isRequired: true },
          ]}
        />
        <KindFields {...{ fields, put }} />
        <OptionFields {...{ fields, put }} />
        <LimitFields {...{ fields, put }} />
      </Form>
    </Dialog>
  );
}

function toggled<T>(list: readonly T[], item: T, isOn: boolean): T[] {
  return isOn ? [...list, item] : list.filter((one) => one !== item);
}

function KindFields({ fields, put }: PartProps): JSX.Element {
  return (
    <fieldset>
      <legend>{t('kind')}</legend>
      {KINDS.map((kind) => (
        <div key={kind} class="pair">
          <Check
            label={kindName(kind)}
            isOn={fields.kinds.includes(kind)}
            onValue={(isOn) => put({ kinds: toggled(fields.kinds, kind, isOn) })}
          />
          <Field
            label={t('creditsEach', { kind: kindName(kind) })}
            name={`credits-${kind}`}
            type="number"
            value={fields[kind]}
            onValue={(value) => put({ [kind]: value })}
          />
        </div>
      ))}
    </fieldset>
  );
}

function OptionFields({ fields, put }: PartProps): JSX.Element {
  return (
    <fieldset>
      <legend>{t('options')}</legend>
      {OPTIONS.map((option) => (
        <Check
          key={option}
          label={findText(`planOption_${option}`) ?? option}
          isOn={fields.options.includes(option)}
          onValue={(isOn) => put({ options: toggled(fields.options, option, isOn) })}
        />
      ))}
    </fieldset>
  );
}

function LimitFields({ fields, put }: PartProps): JSX.Element {
  return (
    <>
      <div class="pair">
        <FormFields
          {...{ fields, put }}
          asked={[
            { of: 'mediaDays', label: t('mediaDays'), type: 'number' },
            { of: 'recordDays', label: t('recordDays'), type: 'number' },
          ]}
        />
      </div>
      <FormFields
        {...{ fields, put }}
        asked={[
          {
            of: 'c2paPolicy',
            label: t('signatureRule'),
            options: C2PA_POLICIES.map((policy) => [policy, t(`signatureRule_${policy}`)] as const),
          },
          { of: 'rate', label: t('rateLimit'), type: 'number', hint: t('rateLimitHint') },
          ...SWITCHES.map((of) => ({ of, label: t(of) })),
          { of: 'fourEyesDays', label: t('fourEyesDays'), type: 'number', hint: t('fourEyesDaysHint') },
        ]}
      />
    </>
  );
}
