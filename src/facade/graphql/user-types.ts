/** The documented User in camelCase, and what the newer facades add. */
import { USER, USER_PRICING, type UserView } from '../../domain/contract/account.ts';
import { defineNoun, fieldsOf, nameType } from './nouns.ts';
import { defineConnection } from './transport/connection.ts';
import { definePayload } from './transport/payloads.ts';

defineNoun(USER_PRICING);

export const userType = nameType<UserView>('User');

userType.implement({ fields: (t) => fieldsOf(t, USER) });

export const userConnectionType = defineConnection<UserView>('User', userType);
export const userPayloadType = definePayload<UserView>('User', 'user', userType);
