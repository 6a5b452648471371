/** The page's entry: who is signed in decides what is shown, the path decides which page. */
import { type ComponentType, type JSX, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Route, Switch, useLocation } from 'wouter-preact';
import {
  ForgotPage,
  RegisterPage,
  SetPasswordPage,
  SignInPage,
  TermsPage,
  VerifyEmailPage,
} from './account/sign-in.tsx';
import { type AccountInfo, ApiError, loadSession, type SessionInfo, session } from './parts/api.ts';
import { Empty, Loading } from './parts/parts.tsx';
import { PATHS, RESULT_PATH } from './parts/paths.ts';
import { ListPage } from './records/list-page.tsx';
import { Frame } from './result/frame.tsx';
import { useCell } from './state/cell.ts';
import { DropAnywhere } from './submit/drop-anywhere.tsx';
import { SubmitPage } from './submit/submit-page.tsx';
import { language, t } from './texts/language.ts';
import './parts/base.css';
import './parts/parts.css';
import './records/records.css';
import './result/result.css';
import './result/screen.css';
import './submit/submit.css';
import './media/rendition.css';

/** A page whose script is loaded when it is first asked for. */
function later<T extends object>(load: () => Promise<ComponentType<T>>): (props: T) => JSX.Element {
  let loaded: ComponentType<T> | undefined;
  return function Later(props: T): JSX.Element {
    const [Shown, show] = useState<ComponentType<T> | undefined>(() => loaded);
    useEffect(() => {
      if (loaded !== undefined) return;
      void load().then((component) => {
        loaded = component;
        show(() => component);
      });
    }, []);
    return Shown === undefined ? <Loading /> : <Shown {...props} />;
  };
}

const ResultPage = later(async () => (await import('./result/result-page.tsx')).ResultPage);
const AccountPage = later(async () => (await import('./account/account-page.tsx')).AccountPage);
const DesksPage = later(async () => (await import('./account/desks-page.tsx')).DesksPage);
const LedgerPage = later(async () => (await import('./account/ledger-page.tsx')).LedgerPage);
const WebhooksPage = later(async () => (await import('./account/webhooks-page.tsx')).WebhooksPage);
const UsersPage = later(async () => (await import('./operating/users-page.tsx')).UsersPage);
const PlansPage = later(async () => (await import('./operating/plans-page.tsx')).PlansPage);
const AuditPage = later(async () => (await import('./operating/audit-page.tsx')).AuditPage);
const QueuePage = later(async () => (await import('./operating/queue-page.tsx')).QueuePage);
const ModelsPage = later(async () => (await import('./operating/models-page.tsx')).ModelsPage);
const TrustPage = later(async () => (await import('./trust/trust-page.tsx')).TrustPage);
const BackupsPage = later(async () => (await import('./operating/backups-page.tsx')).BackupsPage);
const WatchFoldersPage = later(
  async () => (await import('./operating/watch-folders-page.tsx')).WatchFoldersPage,
);
const GuidePage = later(async () => (await import('./submit/guide.tsx')).GuidePage);
const SearchPage = later(async () => (await import('./marks/search-page.tsx')).SearchPage);
const LabelPage = later(async () => (await import('./marks/label-page.tsx')).LabelPage);
const AppliancePage = later(async () => (await import('./operating/appliance-page.tsx')).AppliancePage);

function Page(): JSX.Element {
  const info = useCell(session);
  const chosen = useCell(language);
  useEffect(() => {
    document.documentElement.lang = chosen;
  }, [chosen]);
  if (info === null) return <Loading />;
  return (
    <Switch key={chosen}>
      <Route path={PATHS.setPassword} component={SetPasswordPage} />
      <Route path={PATHS.verifyEmail} component={VerifyEmailPage} />
      <Route>
        {info.account === null ? <Strangers {...{ info }} /> : <SignedIn account={info.account} />}
      </Route>
    </Switch>
  );
}

function Strangers({ info }: { info: SessionInfo }): JSX.Element {
  return (
    <Switch>
      <Route path={PATHS.forgot} component={ForgotPage} />
      <Route path={PATHS.register}>{<RegisterPage {...{ info }} />}</Route>
      <Route>{<SignInPage {...{ info }} />}</Route>
    </Switch>
  );
}

function SignedIn({ account }: { account: AccountInfo }): JSX.Element {
  const [path, navigate] = useLocation();
  const isStrangers = path === PATHS.signIn || path === PATHS.register || path === PATHS.forgot;
  useEffect(() => {
    if (isStrangers) navigate(PATHS.records, { replace: true });
  }, [isStrangers]);
  if (account.mustAcceptTerms) return <TermsPage />;
  return (
    <Frame {...{ account }}>
      {!account.readonly && <DropAnywhere />}
      <Switch>
        <Route path={PATHS.records} component={ListPage} />
        <Route path={PATHS.submit}>{<SubmitPage {...{ account }} />}</Route>
        <Route path={RESULT_PATH}>
          {({ identifier }) => <ResultPage key={identifier} identifier={identifier ?? ''} {...{ account }} />}
        </Route>
        <Route path={PATHS.account}>{<AccountPage {...{ account }} />}</Route>
        <Route path={PATHS.desks}>{<DesksPage {...{ account }} />}</Route>
        <Route path={PATHS.ledger}>{<LedgerPage />}</Route>
        <Route path={PATHS.webhooks}>{<WebhooksPage />}</Route>
        <Route path={PATHS.users}>{<UsersPage {...{ account }} />}</Route>
        <Route path={PATHS.plans}>{<PlansPage {...{ account }} />}</Route>
        <Route path={PATHS.audit}>{<AuditPage />}</Route>
        <Route path={PATHS.queue}>{<QueuePage {...{ account }} />}</Route>
        <Route path={PATHS.models}>{<ModelsPage isAdmin={account.role === 'admin'} />}</Route>
        <Route path={PATHS.backups}>{<BackupsPage />}</Route>
        <Route path={PATHS.trust}>{<TrustPage />}</Route>
        <Route path={PATHS.folders}>{<WatchFoldersPage />}</Route>
        <Route path={PATHS.firstSteps}>{<GuidePage />}</Route>
        <Route path={PATHS.search}>{<SearchPage />}</Route>
        <Route path={PATHS.label}>{<LabelPage />}</Route>
        <Route path={PATHS.appliance}>{<AppliancePage />}</Route>
        <Route>{isStrangers ? <Loading /> : <Empty title={t('noSuchPage')} />}</Route>
      </Switch>
    </Frame>
  );
}

/** The daemon may be starting: the page waits for it instead of staying white. */
async function start(): Promise<void> {
  try {
    await loadSession();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    setTimeout(() => void start(), 2000);
  }
}

const root = document.getElementById('page');
if (root !== null) render(<Page />, root);
void start();
