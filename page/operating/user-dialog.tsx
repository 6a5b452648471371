import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  CREATE_USER,
  DELETE_USER,
  GRANT_CREDITS,
  type ReadPlanNamesAnswer,
  UPDATE_USER,
  type UserRow,
} from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { Button, Dialog, Fault, Form } from '../parts/parts.tsx';
import { FormFields } from '../parts/rows.tsx';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

interface DialogProps {
  /** Null for a new one. */
  user: UserRow | null;
  plans: ReadPlanNamesAnswer['plans'];
  isAdmin: boolean;
  onClose: () => void;
  onDone: () => void;
}

const ROLES = ['USER', 'PARTNER', 'ADMIN'] as const;

function startOf(user: UserRow | null) {
  return {
    name: user?.name ?? '',
    email: user?.email ?? '',
    role: user?.role ?? 'USER',
    pricingId: user?.pricing.id ?? '',
    readonly: user?.readonly ?? false,
    amount: '',
  };
}

type Fields = ReturnType<typeof startOf>;

async function store({ user, plans, isAdmin }: DialogProps, fields: Fields): Promise<void> {
  const { role, pricingId, amount, ...rest } = fields;
  const plan = pricingId === '' ? plans[0]?.id : pricingId;
  const input = { ...rest, pricingId: plan, ...(isAdmin ? { role } : {}) };
  await (user === null ? change(CREATE_USER, { input }) : change(UPDATE_USER, { id: user.id, input }));
  if (user !== null && amount !== '') await change(GRANT_CREDITS, { id: user.id, amount: Number(amount) });
}

export function UserDialog(props: DialogProps): JSX.Element {
  const { user, onClose, onDone } = props;
  const [fields, setFields] = useState(startOf(user));
  const [isDeleting, setDeleting] = useState(false);
  const { isBusy, fault, run } = useWork();
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    if (await run(work)) onDone();
  };
  return (
    <Dialog title={user === null ? t('createUser') : showText(user.name)} {...{ onClose }}>
      <Form onSend={() => void act(() => store(props, fields))}>
        <UserFields {...{ ...props, fields }} put={(part) => setFields({ ...fields, ...part })} />
        <Fault error={fault} />
        <p class="actions">
          <Button type="submit" kind="main" {...{ isBusy }}>
            {user === null ? t('createUser') : t('save')}
          </Button>
          <Button onPress={onClose}>{t('cancel')}</Button>
          {user !== null && !isDeleting && (
            <Button kind="danger" onPress={() => setDeleting(true)}>
              {t('delete')}
            </Button>
          )}
          {user !== null && isDeleting && (
            <Button
              kind="danger"
              {...{ isBusy }}
              onPress={() => void act(() => change(DELETE_USER, { id: user.id }))}
            >
              {t('deleteForGood')}
            </Button>
          )}
        </p>
      </Form>
    </Dialog>
  );
}

interface FieldsProps extends DialogProps {
  fields: Fields;
  put: (part: Partial<Fields>) => void;
}

function UserFields({ user, plans, isAdmin, fields, put }: FieldsProps): JSX.Element {
  const planNames = plans.map((plan) => [plan.id, showText(plan.name)] as const);
  const roleNames = ROLES.map((one) => [one, t(`role_${one}`)] as const);
  return (
    <FormFields
      {...{ fields, put }}
      asked={[
        { of: 'name', label: t('name'), isRequired: true },
        { of: 'email', label: t('email'), type: 'email', isRequired: true },
        { of: 'pricingId', label: t('plan'), options: planNames },
        { of: 'role', label: t('role'), options: roleNames, when: isAdmin },
        { of: 'amount', label: t('grantCredits'), type: 'number', when: isAdmin && user !== null },
        { of: 'readonly', label: t('readonly'), hint: t('readonlyLead') },
      ]}
    />
  );
}
