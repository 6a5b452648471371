/** An account by its name, with its number beside it: two may have one name. */

import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { t } from '../texts/language.ts';

export function AccountName({ id, accountName }: { id: string; accountName: string }): JSX.Element {
  if (accountName === '') return <>{t('accountNumber', { id })}</>;
  return (
    <>
      {showText(accountName)} <small class="quiet">{id}</small>
    </>
  );
}
