/** The first steps on a new box, where nothing has been handed in yet. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { session } from './api.ts';
import { useCell } from './cell.ts';
import { t } from './language.ts';
import { Panel } from './parts.tsx';
import { PATHS } from './paths.ts';

const STEPS = [
  [PATHS.account, 'guidePassword', 'guidePasswordLead'],
  [PATHS.appliance, 'guideBox', 'guideBoxLead'],
  [PATHS.submit, 'guideSubmit', 'guideSubmitLead'],
  [PATHS.users, 'guideUsers', 'guideUsersLead'],
] as const;

/** Only for the administrator: nobody else can follow them. */
export function Guide(): JSX.Element | null {
  const info = useCell(session);
  if (info?.account?.role !== 'admin') return null;
  return (
    <div class="guide">
      <Panel title={t('guide')}>
        <ol>
          {STEPS.map(([href, title, lead]) => (
            <li key={href}>
              <Link {...{ href }}>{t(title)}</Link>
              <p class="quiet">{t(lead)}</p>
            </li>
          ))}
        </ol>
      </Panel>
    </div>
  );
}
