/** A setting's present value and how to change it: settings live in their file alone. */
import type { Setting } from '../../domain/contract/appliance.ts';
import { badField } from '../../domain/errors.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { ApplianceParts } from './parts.ts';

/** Administrators only. */
export function getSetting(
  { support }: Pick<ApplianceParts, 'support'>,
  { principal, key }: { principal: Principal; key: string },
): Setting {
  assertAdmin(principal);
  const setting = support.settings.find((one) => one.key === key);
  if (setting === undefined) throw badField('key', `expected a setting, found ${JSON.stringify(key)}`);
  return setting;
}
