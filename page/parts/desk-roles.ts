/** The roles of a desk in the words of GraphQL. */
import * as domain from '../../src/domain/desk.ts';
import type { DeskRole } from '../gen/documents.ts';

export const DESK_ROLES: readonly DeskRole[] = domain.DESK_ROLES.map(
  (role) => role.toUpperCase() as Uppercase<typeof role>,
);

/** False for a person without a role. */
export function includesRole(role: DeskRole | null, needed: Lowercase<DeskRole>): boolean {
  return role !== null && domain.includesRole(role.toLowerCase() as Lowercase<DeskRole>, needed);
}
