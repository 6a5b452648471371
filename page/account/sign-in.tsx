import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { loadSession, postSession, type SessionInfo, session } from '../parts/api.ts';
import { Button, Check, Fault, Field, Form, Notice, Title } from '../parts/parts.tsx';
import { PATHS } from '../parts/paths.ts';
import { useWork } from '../parts/use-query.ts';
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
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, fault, run } = useWork();
  const send = (): void => {
    void run(async () => {
      await postSession('sign-in', { email, password });
      await loadSession();
    });
  };
  return (
    <Card>
      <Title>{t('signIn')}</Title>
      <p class="quiet">{t('signInLead')}</p>
      <Form onSend={send}>
        <EmailField value={email} onValue={setEmail} />
        <PasswordField value={password} onValue={setPassword} />
        <Fault error={fault} />
        <Button kind="main" type="submit" {...{ isBusy }}>
          {t('signIn')}
        </Button>
      </Form>
      <p class="links">
        <Link href={PATHS.forgot}>{t('forgotPassword')}</Link>
        {info.isRegistrationOpen && <Link href={PATHS.register}>{t('register')}</Link>}
      </p>
    </Card>
  );
}

export function ForgotPage(): JSX.Element {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const { isBusy, fault, run } = useWork();
  const send = async (): Promise<void> =>
    setSent(await run(() => postSession('request-password', { email })));
  return (
    <Card>
      <Title>{t('forgotPassword')}</Title>
      {isSent ? (
        <Notice kind={session.get()?.isMailSent ? 'good' : 'info'}>
          {t(session.get()?.isMailSent ? 'resetSent' : 'resetUnsent')}
        </Notice>
      ) : (
        <Form onSend={() => void send()}>
          <p class="quiet">{t('forgotLead')}</p>
          <EmailField value={email} onValue={setEmail} />
          <Fault error={fault} />
          <Button kind="main" type="submit" {...{ isBusy }}>
            {t('sendLink')}
          </Button>
        </Form>
      )}
      <p class="links">
        <Link href={PATHS.signIn}>{t('backToSignIn')}</Link>
      </p>
    </Card>
  );
}

export function RegisterPage({ info }: { info: SessionInfo }): JSX.Element {
  const [fields, setFields] = useState({ name: '', email: '', password: '', termsAccepted: false });
  const [isDone, setDone] = useState(false);
  const { isBusy, fault, run } = useWork();
  const put = (part: Partial<typeof fields>): void => setFields({ ...fields, ...part });
  const send = async (): Promise<void> => setDone(await run(() => postSession('register', fields)));
  if (isDone || !info.isRegistrationOpen) {
    return (
      <Card>
        <Title>{t('register')}</Title>
        <Notice kind={isDone ? 'good' : 'info'}>{t(isDone ? 'registered' : 'registrationClosed')}</Notice>
        <Link href={PATHS.signIn}>{t('backToSignIn')}</Link>
      </Card>
    );
  }
  return (
    <Card>
      <Title>{t('register')}</Title>
      <Form onSend={() => void send()}>
        <Field
          label={t('name')}
          name="name"
          autocomplete="name"
          isRequired
          value={fields.name}
          onValue={(name) => put({ name })}
        />
        <EmailField value={fields.email} onValue={(email) => put({ email })} />
        <NewPassword value={fields.password} onValue={(password) => put({ password })} />
        {info.areTermsRequired && (
          <Check
            label={t('acceptTerms')}
            isOn={fields.termsAccepted}
            onValue={(termsAccepted) => put({ termsAccepted })}
          />
        )}
        <Fault error={fault} />
        <Button kind="main" type="submit" {...{ isBusy }}>
          {t('register')}
        </Button>
      </Form>
      <p class="links">
        <Link href={PATHS.signIn}>{t('backToSignIn')}</Link>
      </p>
    </Card>
  );
}

interface ValueProps {
  value: string;
  onValue: (value: string) => void;
}

/** The browser's password store knows an account by it. */
function EmailField({ value, onValue }: ValueProps): JSX.Element {
  return (
    <Field
      {...{ value, onValue }}
      label={t('email')}
      name="email"
      type="email"
      autocomplete="username"
      isRequired
    />
  );
}

function PasswordField({ value, onValue }: ValueProps): JSX.Element {
  return (
    <Field
      {...{ value, onValue }}
      label={t('password')}
      name="password"
      type="password"
      autocomplete="current-password"
      isRequired
    />
  );
}

export function NewPassword({ value, onValue }: ValueProps): JSX.Element {
  const isShort = value !== '' && value.length < PASSWORD_CHARACTERS_MIN;
  const missing = PASSWORD_CHARACTERS_MIN - value.length;
  return (
    <Field
      {...{ value, onValue }}
      label={t('newPassword')}
      name="new-password"
      type="password"
      autocomplete="new-password"
      isRequired
      hint={isShort ? t('passwordShort', { count: missing }) : t('passwordHint')}
    />
  );
}

/** A page that a mailed link opens: the password that is given with its token signs this browser in. */
function TokenPage(props: {
  path: 'set-password' | 'verify-email';
  title: string;
  password: string;
  children: ComponentChildren;
}): JSX.Element {
  const { path, title, password, children } = props;
  const token = useToken();
  const [, navigate] = useLocation();
  const { isBusy, fault, run } = useWork();
  const send = (): void => {
    void run(async () => {
      await postSession(path, { token, password });
      await loadSession();
      navigate(PATHS.records, { replace: true });
    });
  };
  return (
    <Card>
      <Title>{title}</Title>
      <Form onSend={send}>
        {children}
        <Fault error={fault} />
        {token === '' && <Notice kind="bad">{t('linkIncomplete')}</Notice>}
        <Button kind="main" type="submit" {...{ isBusy }} isDisabled={token === ''}>
          {title}
        </Button>
      </Form>
      <p class="links">
        <Link href={PATHS.signIn}>{t('signIn')}</Link>
      </p>
    </Card>
  );
}

export function SetPasswordPage(): JSX.Element {
  const [password, setPassword] = useState('');
  return (
    <TokenPage path="set-password" title={t('setPassword')} {...{ password }}>
      <NewPassword value={password} onValue={setPassword} />
    </TokenPage>
  );
}

export function VerifyEmailPage(): JSX.Element {
  const [password, setPassword] = useState('');
  return (
    <TokenPage path="verify-email" title={t('verifyEmail')} {...{ password }}>
      <p class="quiet">{t('verifyLead')}</p>
      <PasswordField value={password} onValue={setPassword} />
    </TokenPage>
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
  const { isBusy, fault, run } = useWork();
  const send = (): void => {
    void run(async () => {
      await postSession('accept-terms');
      await loadSession();
    });
  };
  return (
    <Card>
      <Title>{t('terms')}</Title>
      <p>{t('termsLead')}</p>
      <Form onSend={send}>
        <Check label={t('acceptTerms')} isOn={isOn} onValue={setOn} />
        <Fault error={fault} />
        <Button kind="main" type="submit" {...{ isBusy }} isDisabled={!isOn}>
          {t('goOn')}
        </Button>
      </Form>
    </Card>
  );
}
