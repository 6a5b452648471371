/** One user: made, changed, given credits or deleted. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, USER_ERRORS } from './api.ts';
import { t } from './language.ts';
import { Button, Check, Dialog, Fault, Field, Form, Select } from './parts.tsx';
import { useWork } from './use-query.ts';
import type { PlanName, UserRow } from './users-page.tsx';

const CREATE = `mutation ($input: UserInput!) { createUser(input: $input) { ${USER_ERRORS} } }`;
const UPDATE = `mutation ($id: ID!, $input: UserInput!) { updateUser(id: $id, input: $input) { ${USER_ERRORS} } }`;
const DELETE = `mutation ($id: ID!) { deleteUser(id: $id) { ${USER_ERRORS} } }`;
const GRANT = `mutation ($id: ID!, $amount: Int!) { grantCredits(id: $id, amount: $amount) { ${USER_ERRORS} } }`;

interface DialogProps {
  /** Null for a new one. */
  user: UserRow | null;
  plans: readonly PlanName[];
  isAdmin: boolean;
  onClose: () => void;
  onDone: () => void;
}

const ROLES = ['USER', 'PARTNER', 'ADMIN'] as const;

export function UserDialog({ user, plans, isAdmin, onClose, onDone }: DialogProps): JSX.Element {
  const [fields, setFields] = useState({
    ...{ name: user?.name ?? '', email: user?.email ?? '', role: user?.role ?? 'USER' },
    ...{ pricingId: user?.pricing.id ?? '', readonly: user?.readonly ?? false },
  });
  const [amount, setAmount] = useState('');
  const [isDeleting, setDeleting] = useState(false);
  const { isBusy, fault, run } = useWork();
  const put = (part: Partial<typeof fields>): void => setFields({ ...fields, ...part });
  const save = async (): Promise<void> => {
    const { role, pricingId, ...rest } = fields;
    const plan = pricingId === '' ? plans[0]?.id : pricingId;
    const input = { ...rest, pricingId: plan, ...(isAdmin ? { role } : {}) };
    const isDone = await run(async () => {
      await (user === null ? change(CREATE, { input }) : change(UPDATE, { id: user.id, input }));
      if (user !== null && amount !== '') await change(GRANT, { id: user.id, amount: Number(amount) });
    });
    if (isDone) onDone();
  };
  const remove = async (): Promise<void> => {
    if (user !== null && (await run(() => change(DELETE, { id: user.id })))) onDone();
  };
  return (
    <Dialog title={user === null ? t('createUser') : user.name} {...{ onClose }}>
      <Form onSend={() => void save()}>
        <Field
          label={t('name')}
          name="user-name"
          isRequired
          value={fields.name}
          onValue={(name) => put({ name })}
        />
        <Field
          label={t('email')}
          name="user-email"
          type="email"
          isRequired
          value={fields.email}
          onValue={(email) => put({ email })}
        />
        <Select
          label={t('plan')}
          value={fields.pricingId}
          options={plans.map(({ id, name }) => [id, name] as const)}
          onValue={(pricingId) => put({ pricingId })}
        />
        {isAdmin && (
          <Select
            label={t('role')}
            value={fields.role}
            options={ROLES.map((role) => [role, t(`role_${role}`)] as const)}
            onValue={(role) => put({ role })}
          />
        )}
        {isAdmin && user !== null && (
          <Field label={t('grantCredits')} name="amount" type="number" value={amount} onValue={setAmount} />
        )}
        <Check
          label={t('readonly')}
          hint={t('readonlyLead')}
          isOn={fields.readonly}
          onValue={(readonly) => put({ readonly })}
        />
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
          {isDeleting && (
            <Button kind="danger" {...{ isBusy }} onPress={() => void remove()}>
              {t('deleteForGood')}
            </Button>
          )}
        </p>
      </Form>
    </Dialog>
  );
}
