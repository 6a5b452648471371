/** Every root field goes through here: it is counted once, and a mutation's mistakes become data. */
import { toAppError } from '../../../domain/errors.ts';
import type { GraphqlContext } from './context.ts';
import { toUserErrors, type UserError } from './errors.ts';

export async function countCall<T>(
  { app }: GraphqlContext,
  method: string,
  work: () => Promise<T> | T,
): Promise<T> {
  const count = (code: string) => app.metrics.requests.inc({ facade: 'graphql', method, code });
  try {
    const value = await work();
    count('ok');
    return value;
  } catch (error) {
    count(toAppError(error).code);
    throw error;
  }
}

/** What a mutation came to: its value, or the caller's mistakes. */
export type Payload<T> = { value: T; userErrors: UserError[] } | { value: null; userErrors: UserError[] };

/** Runs one mutation; throws only what is no mistake of the caller's. */
export async function settleCall<T>(
  context: GraphqlContext,
  method: string,
  work: () => Promise<T> | T,
): Promise<Payload<T>> {
  try {
    return { value: await countCall(context, method, work), userErrors: [] };
  } catch (error) {
    return { value: null, userErrors: toUserErrors(error) };
  }
}
