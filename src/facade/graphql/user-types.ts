/** The documented User in camelCase, and what the newer facades add. */
import { USER, USER_PRICING, type UserView } from '../../domain/contract/account.ts';
import { defineConnection } from './connection.ts';
import { defineNoun, fieldsOf, nameType } from './nouns.ts';

defineNoun(USER_PRICING);

export const userType = nameType<UserView>('User');

userType.implement({ fields: (t) => fieldsOf(t, USER) });

export const userConnectionType = defineConnection<UserView>('User', userType);
