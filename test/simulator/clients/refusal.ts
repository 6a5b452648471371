/** What an answer of a life says no with. */
import { AppError } from '../../../src/domain/errors.ts';

/** The reason of an answer that refuses; throws what is no answer. */
export function refusalOf(error: unknown): string {
  if (error instanceof AppError) return error.reason;
  if (error instanceof Error && /simulated disk/.test(error.message)) return 'disk';
  throw error;
}
