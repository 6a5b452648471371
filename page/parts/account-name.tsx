/** An account by its name; by its number if it is gone. */
import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { t } from '../texts/language.ts';

export function accountText(id: string, name: string): string {
  return name === '' ? t('accountNumber', { id }) : showText(name);
}

/** The name with the number beside it: two accounts may have one name. */
export function AccountName({ id, accountName }: { id: string; accountName: string }): JSX.Element {
  if (accountName === '') return <>{t('accountNumber', { id })}</>;
  return (
    <>
      {showText(accountName)} <small class="quiet">{id}</small>
    </>
  );
}
