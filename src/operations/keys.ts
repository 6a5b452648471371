/** API keys of the account, or of a user that it manages. */
import { createKey, listKeys, replaceKey, revealKey, revokeKey } from '../app/accounts/keys.ts';
import { API_KEY } from '../domain/contract/key.ts';
import { idNumber, listOf, nounOf, text } from '../domain/field.ts';
import { mutation, one, optional, query, several } from './operation.ts';

const KEY = nounOf(API_KEY);
const NEW_KEY = several({ key: KEY, secret: text() });

const OWNER = {
  userId: optional(idNumber('A user that the account manages; its own key where absent.')),
};

export const KEY_OPERATIONS = {
  listKeys: query({
    field: null,
    input: OWNER,
    answer: one('keys', listOf(KEY)),
    run: listKeys,
  }),
  createKey: mutation({
    input: { name: text(), ...OWNER },
    answer: NEW_KEY,
    payload: 'NewKey',
    run: createKey,
  }),
  revealKey: mutation({
    description: "Shows a key's secret again, for the account's password.",
    input: { id: idNumber(), password: text() },
    isForReaders: true,
    answer: one('secret', text()),
    payload: 'Secret',
    run: revealKey,
  }),
  replaceKey: mutation({
    description: 'Gives a key a new secret; the old one stops at once.',
    input: { id: idNumber(), ...OWNER },
    answer: NEW_KEY,
    payload: 'NewKey',
    run: replaceKey,
  }),
  revokeKey: mutation({
    input: { id: idNumber(), ...OWNER },
    answer: one('key', KEY),
    payload: 'Key',
    run: revokeKey,
  }),
};
