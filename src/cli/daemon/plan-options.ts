/** Options for the fields of a plan, the same for making and changing one. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { InvalidArgumentError, Option } from 'commander';
import type { Plan } from '../../domain/accounts/plan.ts';
import { PLAN } from '../../domain/contract/plan.ts';
import { rowsOf } from '../../domain/field.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import { PLAN_OPTIONS, PRICED_OPTIONS } from '../../domain/records/plan-option.ts';
import { PlanFieldsSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { toMessage } from '../../grpc/messages.ts';

type PlanFieldsInit = Exclude<MessageInitShape<typeof PlanFieldsSchema>, { $typeName: string }>;

/** Under the names that commander derives from the flags. */
export type PlanOptions = Readonly<Record<string, unknown>>;

type Row = (typeof PLAN)[keyof Plan];

/** Fields with a syntax of their own; `none` or an empty text is the empty list. */
const PARSERS: { [K in keyof Plan]?: (value: string) => unknown } = {
  options: parseListOf(PLAN_OPTIONS),
  optionCredits: parsePrices,
  models: (value) => ({ all: value === 'all', values: value === 'all' ? [] : splitList(value) }),
};

export function planOptions(): Option[] {
  const perKind = MEDIA_KINDS.flatMap((kind) => [
    new Option(`--${kind}-credits <n>`, `what one submission of ${kind} costs`).argParser(parseAmount),
    new Option(`--${kind}-bytes-max <n>`, `largest file of ${kind}`).argParser(parseAmount),
  ]);
  return [...perKind, ...rowsOf(PLAN).flatMap(([name, row]) => optionsOf(name, row))];
}

function optionsOf(name: keyof Plan, { command, type, isList }: Row): Option[] {
  if (command === undefined) return [];
  const { flags, sentence, offSentence } = command;
  const option = new Option(flags, sentence);
  const parser = PARSERS[name];
  if (parser !== undefined) return [option.argParser(parser)];
  if (offSentence !== undefined) return [option, new Option(flags.replace('--', '--no-'), offSentence)];
  if (type === 'whole') return [option.argParser(parseAmount)];
  if (typeof type !== 'object' || !('choice' in type)) return [option];
  const { words } = type.choice;
  return [isList === true ? option.argParser(parseListOf(words)) : option.choices(words)];
}

/** Only the options that were given. */
export function toPlanFields(options: PlanOptions): PlanFieldsInit {
  const named = rowsOf(PLAN).map(([name, { command }]) => {
    const said = command === undefined ? name : new Option(command.flags).attributeName();
    return [name, options[said]];
  });
  return toMessage(PlanFieldsSchema, { ...options, ...Object.fromEntries(named) }) as PlanFieldsInit;
}

function parseAmount(value: string): number {
  const amount = Number(value);
  if (value.trim() === '' || !Number.isSafeInteger(amount) || amount < 0) {
    throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  }
  return amount;
}

function splitList(value: string): string[] {
  const parts = value.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '' && part !== 'none');
}

function parseListOf<T extends string>(allowed: readonly T[]): (value: string) => T[] {
  return (value) =>
    splitList(value).map((part) => {
      const known = allowed.find((name) => name === part);
      if (known === undefined) {
        throw new InvalidArgumentError(`${part} is none of ${allowed.join(', ')}.`);
      }
      return known;
    });
}

function parsePrices(value: string): Record<string, number> {
  const parts = splitList(value);
  // In a message an empty map is the same as an absent one.
  if (parts.length === 0) return Object.fromEntries(PRICED_OPTIONS.map((option) => [option, 0]));
  const prices = parts.map((part): [string, number] => {
    const [name = '', price = ''] = part.split('=');
    if (!PRICED_OPTIONS.some((option) => option === name)) {
      throw new InvalidArgumentError(`${name} is none of ${PRICED_OPTIONS.join(', ')}.`);
    }
    return [name, parseAmount(price)];
  });
  return Object.fromEntries(prices);
}
