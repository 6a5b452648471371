/** The documented User in camelCase, and what the newer facades add. */
import type { PricingView, UserView } from '../../app/accounts/user-view.ts';
import { builder, c2paPolicyEnum, heuristicEnum, roleEnum } from './builder.ts';
import { defineConnection } from './transport/connection.ts';
import { definePayload } from './transport/payloads.ts';

const pricingType = builder.objectRef<PricingView>('Pricing').implement({
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => String(id) }),
    name: t.exposeString('name'),
    sku: t.exposeString('sku'),
  }),
});

export const userType = builder.objectRef<UserView>('User');

userType.implement({
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => String(id) }),
    name: t.exposeString('name'),
    email: t.exposeString('email'),
    emailVerifiedAt: t.expose('emailVerifiedAt', { type: 'DateTime', nullable: true }),
    address: t.exposeString('address', { nullable: true }),
    zip: t.exposeString('zip', { nullable: true }),
    city: t.exposeString('city', { nullable: true }),
    country: t.exposeString('country', { nullable: true }),
    phone: t.exposeString('phone', { nullable: true }),
    contact: t.exposeString('contact', { nullable: true }),
    vat: t.exposeString('vat', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    balance: t.exposeFloat('balance', { description: 'Credits left.' }),
    heuristic: t.expose('heuristic', { type: heuristicEnum }),
    readonly: t.exposeBoolean('readonly', { description: 'Can only view results.' }),
    pricing: t.expose('pricing', { type: pricingType }),
    partner: t.expose('partner', { type: userType, nullable: true }),
    role: t.expose('role', { type: roleEnum }),
    termsAcceptedAt: t.expose('termsAcceptedAt', { type: 'DateTime', nullable: true }),
    c2paPolicy: t.expose('c2paPolicy', {
      type: c2paPolicyEnum,
      nullable: true,
      description: 'Null: as the plan says.',
    }),
    hasPassword: t.exposeBoolean('hasPassword'),
  }),
});

export const userConnectionType = defineConnection<UserView>('User', userType);
export const userPayloadType = definePayload<UserView>('User', 'user', userType);
