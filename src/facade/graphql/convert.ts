/** Turns the input of a submission into the fields that the app knows, under their documented names. */
import type { RawFields } from '../../app/submissions/input.ts';
import { toRawFields } from './transport/input.ts';

/** What is said: absent and null are the same. */
export function toOptionFields(options: object | null | undefined): RawFields {
  const said = Object.entries(options ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return toRawFields(Object.fromEntries(said));
}

export function toSubmitFields({ options, ...said }: { options?: object | null | undefined }): RawFields {
  return { ...toOptionFields(said), ...toOptionFields(options) };
}
