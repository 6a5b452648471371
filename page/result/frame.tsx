/** The frame of every page of somebody who is signed in: links to the other pages, and the user's menu. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import { FOLLOW_RECORDS, READ_SIGN_OFFS_WAITING } from '../gen/documents.ts';
import { type AccountInfo, postSession, session } from '../parts/api.ts';
import { KeysHelp } from '../parts/keys-help.tsx';
import { closeLive, isLive, useLive } from '../parts/live.ts';
import { Select } from '../parts/parts.tsx';
import { PATHS } from '../parts/paths.ts';
import { useQuery } from '../parts/use-query.ts';
import { useCell } from '../state/cell.ts';
import { chooseTheme, storedTheme, THEMES } from '../state/theme.ts';
import type { TextKey } from '../texts/en.ts';
import { chooseLanguage, LANGUAGES, type Language, language, t } from '../texts/language.ts';

/** The count is read anew so often, since roles and withdrawals come without a message. */
const WAITING_REFRESH_MS = 60_000;

type NavLink = readonly [path: string, text: TextKey];

/** Pages for work with files. */
const DESK_LINKS: readonly NavLink[] = [
  [PATHS.records, 'navRecords'],
  [PATHS.submit, 'navSubmit'],
  [PATHS.search, 'navSearch'],
  [PATHS.label, 'navLabel'],
];

/** What keeps the box and its accounts going. */
const PARTNER_LINKS: readonly NavLink[] = [[PATHS.users, 'navUsers']];
const ADMIN_LINKS: readonly NavLink[] = [
  ...PARTNER_LINKS,
  [PATHS.plans, 'navPlans'],
  [PATHS.queue, 'navQueue'],
  [PATHS.models, 'navModels'],
  [PATHS.folders, 'navFolders'],
  [PATHS.backups, 'navBackups'],
  [PATHS.trust, 'navTrust'],
  [PATHS.audit, 'navAudit'],
  [PATHS.appliance, 'navAppliance'],
];

const OPERATING_LINKS: Readonly<Record<AccountInfo['role'], readonly NavLink[]>> = {
  user: [],
  partner: PARTNER_LINKS,
  admin: ADMIN_LINKS,
};

function Links({ name, links }: { name: TextKey; links: readonly NavLink[] }): JSX.Element {
  const [path] = useLocation();
  return (
    <nav class={name === 'navDesk' ? 'desk-links' : 'operating-links'} aria-label={t(name)}>
      {links.map(([href, text]) => (
        <Link key={href} {...{ href }} aria-current={path === href ? 'page' : undefined}>
          {t(text)}
        </Link>
      ))}
    </nav>
  );
}

export function Frame({
  account,
  children,
}: {
  account: AccountInfo;
  children: ComponentChildren;
}): JSX.Element {
  const live = useCell(isLive);
  const operating = OPERATING_LINKS[account.role];
  return (
    <>
      <a class="skip" href="#content">
        {t('skipToContent')}
      </a>
      <header class="top">
        <Link href={PATHS.records} class="brand">
          Assay
        </Link>
        <Links name="navDesk" links={DESK_LINKS} />
        <Waiting />
        <UserMenu {...{ account }} />
        {operating.length > 0 && <Links name="navOperating" links={operating} />}
      </header>
      {!live && (
        <p class="offline" role="status">
          {t('notLive')}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <KeysHelp />
    </>
  );
}

/** How many findings wait for the reader; the list is read anew, whatever it was narrowed by. */
function Waiting(): JSX.Element | null {
  const { data, reload } = useQuery(READ_SIGN_OFFS_WAITING, {}, WAITING_REFRESH_MS);
  useLive(FOLLOW_RECORDS, { waitsForMe: true }, () => void reload());
  const count = data?.signOffsWaiting ?? 0;
  if (count === 0) return null;
  return (
    <a class="waiting" href={`${PATHS.records}?waitsForMe=yes`}>
      {t('signOffsWaiting', { count })}
    </a>
  );
}

function UserMenu({ account }: { account: AccountInfo }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const [path] = useLocation();
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    const close = (event: Event): void => {
      const isOutside = event instanceof MouseEvent && !ref.current?.contains(event.target as Node);
      // Escape closes the menu, and nothing else with it.
      if (
        event instanceof KeyboardEvent &&
        event.key === 'Escape' &&
        ref.current?.querySelector('.menu:not([hidden])')
      )
        event.preventDefault();
      if (isOutside || (event instanceof KeyboardEvent && event.key === 'Escape')) setOpen(false);
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <div class="user-menu" {...{ ref }}>
      <button
        type="button"
        class="button plain"
        aria-expanded={isOpen}
        aria-controls="user-menu"
        onClick={() => setOpen(!isOpen)}
      >
        <span class="user-name">{showText(account.name)}</span> <span aria-hidden="true">▾</span>
      </button>
      <div id="user-menu" class="menu" hidden={!isOpen}>
        <p class="quiet">{account.email}</p>
        <Link href={`${PATHS.account}#keys`}>{t('menuApiKey')}</Link>
        <Link href={PATHS.account}>{t('menuAccount')}</Link>
        <Link href={PATHS.desks}>{t('navDesks')}</Link>
        <Link href={PATHS.ledger}>{t('menuCredits')}</Link>
        <Link href={PATHS.webhooks}>{t('menuWebhooks')}</Link>
        <Preferences />
        <button type="button" class="button plain" onClick={() => void signOut('sign-out')}>
          {t('signOut')}
        </button>
      </div>
    </div>
  );
}

export function Preferences(): JSX.Element {
  const [theme, setTheme] = useState(storedTheme());
  const chosen = useCell(language);
  const themes = { system: t('themeSystem'), light: t('themeLight'), dark: t('themeDark') };
  return (
    <div class="preferences">
      <Select
        label={t('theme')}
        value={theme}
        options={THEMES.map((name) => [name, themes[name]] as const)}
        onValue={(value) => {
          const picked = THEMES.find((name) => name === value) ?? 'system';
          chooseTheme(picked);
          setTheme(picked);
        }}
      />
      <Select
        label={t('language')}
        value={chosen}
        options={LANGUAGES.map((name) => [name, LANGUAGE_NAMES[name]] as const)}
        onValue={(value) => chooseLanguage(value as Language)}
      />
    </div>
  );
}

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', it: 'Italiano' };

/** Loads the page anew, so that nothing in memory is left for the next person at this computer. */
export async function signOut(path: 'sign-out' | 'sign-out-everywhere'): Promise<void> {
  try {
    await postSession(path);
  } finally {
    closeLive();
    session.set(null);
    location.assign(PATHS.signIn);
  }
}
