/** Judges the fields of one request together, so that a caller learns all faults at once. */
import { AppError, describeViolations, type Reason } from '../domain/errors.ts';

/** Reasons that concern a field itself, under one status. */
const FIELD_REASONS: readonly Reason[] = ['bad_field', 'bad_address'];

/** Runs each parser and throws all faults at once. */
export function parseEach<T extends object>(parsers: { [K in keyof T]: () => T[K] }): T {
  const faults: AppError[] = [];
  const parsed: Partial<T> = {};
  for (const name of Object.keys(parsers) as (keyof T)[]) {
    try {
      parsed[name] = parsers[name]();
    } catch (error) {
      faults.push(toFieldFault(error));
    }
  }
  throwTogether(faults);
  return parsed as T;
}

/** Like parseEach, for judgements that take time; one after another. */
export async function checkEach<T extends object>(
  judges: {
    [K in keyof T]: () => T[K] | Promise<T[K]>;
  },
): Promise<T> {
  const faults: AppError[] = [];
  const judged: Partial<T> = {};
  for (const name of Object.keys(judges) as (keyof T)[]) {
    try {
      judged[name] = await judges[name]();
    } catch (error) {
      faults.push(toFieldFault(error));
    }
  }
  throwTogether(faults);
  return judged as T;
}

/** Rethrows errors without a field. */
function toFieldFault(error: unknown): AppError {
  if (error instanceof AppError && FIELD_REASONS.includes(error.reason)) return error;
  throw error;
}

function throwTogether(faults: readonly AppError[]): void {
  const [first, ...others] = faults;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const fields = faults.flatMap((fault) => fault.fields);
  const isOfOneReason = others.every(({ reason }) => reason === first.reason);
  throw new AppError(isOfOneReason ? first.reason : 'bad_field', describeViolations(fields), { fields });
}
