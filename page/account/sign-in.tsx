import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { loadSession, postSession, type SessionInfo, session } from '../parts/api.ts';
import { type Asked, AskedForm, Form } from '../parts/form.tsx';
import { Check, Notice, Title } from '../parts/parts.tsx';
import { PATHS } from '../parts/paths.ts';
import { Preferences } from '../result/frame.tsx';
import { t } from '../texts/language.ts';

const PASSWORD_CHARACTERS_MIN = 12;

function Card({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <main class="card-page">
      <p class="brand">Assay</p>
      <div class="card">{children}</div>
      <Preferences />
    </main>
  );
}

export function SignInPage({ info }: { info: SessionInfo }): JSX.Element {
  return (
    <Card>
      <Title>{t('signIn')}</Title>
      <p class="quiet">{t('signInLead')}</p>
      <AskedForm
        start={{ email: '', password: '' }}
        asked={[emailField(), passwordField()]}
        kind="main"
        text={t('signIn')}
        send={(fields) => postSession('sign-in', fields).then(loadSession)}
      />
      <p class="links">
        <Link href={PATHS.forgot}>{t('forgotPassword')}</Link>
        {info.isRegistrationOpen && <Link href={PATHS.register}>{t('register')}</Link>}
      </p>
    </Card>
  );
}

export function ForgotPage(): JSX.Element {
  const [isSent, setSent] = useState(false);
  return (
    <Card>
      <Title>{t('forgotPassword')}</Title>
      {isSent ? (
        <Notice kind={session.get()?.isMailSent ? 'good' : 'info'}>
          {t(session.get()?.isMailSent ? 'resetSent' : 'resetUnsent')}
        </Notice>
      ) : (
        <>
          <p class="quiet">{t('forgotLead')}</p>
          <AskedForm
            start={{ email: '' }}
            asked={[emailField()]}
            kind="main"
            text={t('sendLink')}
            send={(fields) => postSession('request-password', fields).then(() => setSent(true))}
          />
        </>
      )}
      <p class="links">
        <Link href={PATHS.signIn}>{t('backToSignIn')}</Link>
      </p>
    </Card>
  );
}

export function RegisterPage({ info }: { info: SessionInfo }): JSX.Element {
  const [isDone, setDone] = useState(false);
  return (
    <Card>
      <Title>{t('register')}</Title>
      {isDone || !info.isRegistrationOpen ? (
        <Notice kind={isDone ? 'good' : 'info'}>{t(isDone ? 'registered' : 'registrationClosed')}</Notice>
      ) : (
        <AskedForm
          start={{ name: '', email: '', password: '', termsAccepted: false }}
          asked={(fields) => [
            { of: 'name', label: t('name'), autocomplete: 'name', isRequired: true },
            emailField(),
            newPasswordField(fields.password),
            { of: 'termsAccepted', label: t('acceptTerms'), when: info.areTermsRequired },
          ]}
          kind="main"
          text={t('register')}
          send={(fields) => postSession('register', fields).then(() => setDone(true))}
        />
      )}
      <p class="links">
        <Link href={PATHS.signIn}>{t('backToSignIn')}</Link>
      </p>
    </Card>
  );
}

/** The browser's password store knows an account by it. */
const emailField = () =>
  ({ of: 'email', label: t('email'), type: 'email', autocomplete: 'username', isRequired: true }) as const;

export const passwordField = () =>
  ({
    of: 'password',
    label: t('password'),
    type: 'password',
    autocomplete: 'current-password',
    isRequired: true,
  }) as const;

/** The field of a new password, of which `typed` is there so far. */
export function newPasswordField(typed: string) {
  const isShort = typed !== '' && typed.length < PASSWORD_CHARACTERS_MIN;
  const missing = PASSWORD_CHARACTERS_MIN - typed.length;
  return {
    of: 'password',
    label: t('newPassword'),
    type: 'password',
    autocomplete: 'new-password',
    isRequired: true,
    hint: isShort ? t('passwordShort', { count: missing }) : t('passwordHint'),
  } as const;
}

interface TokenPageProps {
  path: 'set-password' | 'verify-email';
  title: string;
  asked: (fields: { password: string }) => readonly Asked<{ password: string }>[];
  lead?: string;
}

/** A page that a mailed link opens: the password that is given with its token signs this browser in. */
function TokenPage({ path, title, asked, lead }: TokenPageProps): JSX.Element {
  const token = useToken();
  const [, navigate] = useLocation();
  return (
    <Card>
      <Title>{title}</Title>
      {lead !== undefined && <p class="quiet">{lead}</p>}
      <AskedForm
        start={{ password: '' }}
        {...{ asked }}
        kind="main"
        text={title}
        isDisabled={token === ''}
        send={async (fields) => {
          await postSession(path, { token, ...fields });
          await loadSession();
          navigate(PATHS.records, { replace: true });
        }}
      >
        {token === '' && <Notice kind="bad">{t('linkIncomplete')}</Notice>}
      </AskedForm>
      <p class="links">
        <Link href={PATHS.signIn}>{t('signIn')}</Link>
      </p>
    </Card>
  );
}

export function SetPasswordPage(): JSX.Element {
  return (
    <TokenPage
      path="set-password"
      title={t('setPassword')}
      asked={(fields) => [newPasswordField(fields.password)]}
    />
  );
}

export function VerifyEmailPage(): JSX.Element {
  return (
    <TokenPage
      path="verify-email"
      title={t('verifyEmail')}
      lead={t('verifyLead')}
      asked={() => [passwordField()]}
    />
  );
}

/** The token is removed from the browser's history once it was read: a link works only once, but need not lie about. */
function useToken(): string {
  const search = useSearch();
  const [token] = useState(() => new URLSearchParams(search).get('token') ?? '');
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  return token;
}

export function TermsPage(): JSX.Element {
  const [isOn, setOn] = useState(false);
  return (
    <Card>
      <Title>{t('terms')}</Title>
      <p>{t('termsLead')}</p>
      <Form
        kind="main"
        text={t('goOn')}
        isDisabled={!isOn}
        send={() => postSession('accept-terms').then(loadSession)}
      >
        <Check label={t('acceptTerms')} isOn={isOn} onValue={setOn} />
      </Form>
    </Card>
  );
}
