/** Behaviours of accounts, partners and credits, each a row that run-rows.ts runs through every facade. */
import { makePicture, makeSpeech } from '../../interface/media.ts';
import { granted, mapValue, type Result, type SharedUser } from '../ways/caller.ts';
import type { Stage } from '../ways/stage.ts';

export interface OperationCase {
  name: string;
  act: (stage: Stage) => Promise<Result<unknown>>;
  /** The value, or the reason of the refusal. */
  gives: unknown | ((stage: Stage) => unknown);
  refuses?: string;
}

const address = ({ word }: Stage, name: string): string => `${name}-${word}@example.org`;
const nameOf = (result: Result<SharedUser>): Result<string> => mapValue(result, ({ name }) => name);

async function madeUser(stage: Stage, name: string): Promise<SharedUser> {
  return granted(await stage.callers.partner.createUser({ name, email: address(stage, name) }));
}

export const ACCOUNT_CASES: OperationCase[] = [
  {
    name: 'credits are what was granted, and nothing is spent',
    act: ({ callers }) => callers.buyer.credits(),
    gives: { available: 10, spent: 0 },
  },
  {
    name: 'a submission is charged, its repetition from the cache is not, a forced one is again',
    act: async ({ callers: { buyer } }) => {
      const bytes = await makePicture();
      granted(await buyer.classify('image', bytes));
      granted(await buyer.submit('image', bytes));
      granted(await buyer.submit('image', bytes, { noCache: true }));
      return await buyer.credits();
    },
    gives: { available: 6, spent: 4 },
  },
  {
    name: 'an account without enough credits may not submit',
    act: async ({ callers }) => await callers.poor.submit('image', await makePicture()),
    ...{ gives: null, refuses: 'credits' },
  },
  {
    name: 'a read-only account may not submit',
    act: async ({ callers }) => await callers.viewer.submit('image', await makePicture()),
    ...{ gives: null, refuses: 'read_only' },
  },
  { name: 'a read-only account may look', act: ({ callers }) => callers.viewer.list('image'), gives: [] },
  {
    name: 'a kind that the plan does not enable is refused',
    act: ({ callers }) => callers.images.submit('audio', makeSpeech()),
    ...{ gives: null, refuses: 'not_enabled' },
  },
  {
    name: 'a wrong key reads no credits',
    act: ({ callers }) => callers.nobody.credits(),
    ...{ gives: null, refuses: 'key' },
  },
  {
    name: 'a partner makes a user of its own',
    act: async (stage) => {
      const { id: _id, email: _email, ...rest } = await madeUser(stage, 'ada');
      return { value: rest };
    },
    gives: ({ ids }: Stage) => ({
      ...{ name: 'ada', balance: 0, heuristic: 'balanced', readonly: false },
      ...{ pricing: 'appliance', partnerId: ids.partner },
    }),
  },
  {
    name: 'a user without an address is refused',
    act: ({ callers }) => callers.partner.createUser({ name: 'nobody' }),
    ...{ gives: null, refuses: 'bad_field' },
  },
  {
    name: 'an address that is taken is refused',
    act: async (stage) => {
      const { email } = await madeUser(stage, 'taken');
      return await stage.callers.partner.createUser({ name: 'second', email });
    },
    ...{ gives: null, refuses: 'email' },
  },
  {
    name: 'a plain user makes no user',
    act: (stage) => stage.callers.plain.createUser({ name: 'x', email: address(stage, 'x') }),
    ...{ gives: null, refuses: 'role' },
  },
  {
    name: 'a partner lists its own users only, by a part of the name',
    act: async (stage) => {
      await madeUser(stage, 'filterable');
      return await stage.callers.partner.listUsers('ilterabl');
    },
    gives: { total: 1, names: ['filterable'] },
  },
  {
    name: 'a plain user lists no users',
    act: ({ callers }) => callers.plain.listUsers(''),
    ...{ gives: null, refuses: 'role' },
  },
  {
    name: 'a partner has a link mailed to its user',
    act: async (stage) => {
      const { id } = await madeUser(stage, 'mailed');
      return nameOf(await stage.callers.partner.sendCreationEmail(id));
    },
    gives: 'mailed',
  },
  {
    name: 'a partner mails no one else’s user',
    act: ({ callers, ids }) => callers.partner.sendCreationEmail(ids.plain),
    ...{ gives: null, refuses: 'user' },
  },
  {
    name: 'a partner deletes its user',
    act: async (stage) => {
      const { id } = await madeUser(stage, 'leaving');
      return nameOf(await stage.callers.partner.deleteUser(id));
    },
    gives: 'leaving',
  },
  {
    name: 'a deleted user is gone',
    act: async (stage) => {
      const { id } = await madeUser(stage, 'gone');
      granted(await stage.callers.partner.deleteUser(id));
      return await stage.callers.partner.deleteUser(id);
    },
    ...{ gives: null, refuses: 'user' },
  },
  {
    name: 'a partner deletes no one else’s user',
    act: ({ callers, ids }) => callers.partner.deleteUser(ids.plain),
    ...{ gives: null, refuses: 'user' },
  },
];
