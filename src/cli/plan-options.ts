/** The command line's words for the fields of a plan, the same for making and changing one. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { C2PA_POLICIES, PLAN_OPTIONS, type PlanOption } from '../domain/accounts/plan.ts';
import { MEDIA_KINDS, type MediaKind } from '../domain/media/media.ts';
import { PRICED_OPTIONS } from '../domain/records/price.ts';
import { C2paPolicy } from '../grpc/gen/assay/v1/account_pb.ts';
import type { PlanFieldsSchema } from '../grpc/gen/assay/v1/appliance_service_pb.ts';
import { toProtoKind } from './media-options.ts';

type PlanFieldsInit = Exclude<MessageInitShape<typeof PlanFieldsSchema>, { $typeName: string }>;

export interface PlanOptions {
  name?: string;
  sku?: string;
  kinds?: MediaKind[];
  options?: PlanOption[];
  optionCredits?: Record<string, bigint>;
  models?: { all: boolean; values: string[] };
  imageCredits?: number;
  videoCredits?: number;
  audioCredits?: number;
  rateLimit?: number;
  imageBytesMax?: number;
  videoBytesMax?: number;
  audioBytesMax?: number;
  c2paPolicy?: (typeof C2PA_POLICIES)[number];
  mediaDays?: number;
  recordDays?: number;
  zeroRetention?: boolean;
}

const POLICY_VALUES = {
  any: C2paPolicy.ANY,
  generative: C2paPolicy.GENERATIVE,
  never: C2paPolicy.NEVER,
} as const;

/** `none` or an empty text is the empty list. */
export function addPlanOptions(command: Command): Command {
  const credits = (kind: MediaKind): Option =>
    new Option(`--${kind}-credits <n>`, `what one submission of ${kind} costs`).argParser(parseAmount);
  const bytes = (kind: MediaKind): Option =>
    new Option(`--${kind}-bytes-max <n>`, `largest file of ${kind}`).argParser(parseAmount);
  for (const kind of MEDIA_KINDS) command.addOption(credits(kind)).addOption(bytes(kind));
  return command
    .option('--sku <sku>', 'its name in your own system')
    .option('--kinds <kinds>', `enabled kinds: ${MEDIA_KINDS.join(',')}`, parseListOf(MEDIA_KINDS))
    .option('--options <options>', `enabled options: ${PLAN_OPTIONS.join(',')}`, parseListOf(PLAN_OPTIONS))
    .option('--option-credits <prices>', 'what options cost on top: heatmap=1,nsfw=2', parsePrices)
    .option('--models <ids>', 'model packs that may be used, or all', (value) => ({
      all: value === 'all',
      values: value === 'all' ? [] : splitList(value),
    }))
    .addOption(new Option('--rate-limit <n>', 'calls a minute; 0 for any number').argParser(parseAmount))
    .addOption(
      new Option('--c2pa-policy <policy>', 'which signatures force artificial').choices(C2PA_POLICIES),
    )
    .addOption(
      new Option('--media-days <n>', 'delete the bytes after; 0 with the record').argParser(parseAmount),
    )
    .addOption(new Option('--record-days <n>', 'delete the record after; 0 never').argParser(parseAmount))
    .option('--zero-retention', 'keep hash and result only')
    .option('--no-zero-retention', 'keep the media as the days say');
}

/** Only what was said. */
export function toPlanFields(options: PlanOptions): PlanFieldsInit {
  const { name, sku, optionCredits, mediaDays, recordDays, zeroRetention, c2paPolicy } = options;
  return withoutUndefined({
    ...{ name, sku, optionCredits, mediaDays, recordDays, zeroRetention },
    kinds: options.kinds && { values: options.kinds.map(toProtoKind) },
    options: options.options && { values: options.options },
    models: options.models,
    imageCredits: toBigInt(options.imageCredits),
    videoCredits: toBigInt(options.videoCredits),
    audioCredits: toBigInt(options.audioCredits),
    imageBytesMax: toBigInt(options.imageBytesMax),
    videoBytesMax: toBigInt(options.videoBytesMax),
    audioBytesMax: toBigInt(options.audioBytesMax),
    rateLimitPerMinute: options.rateLimit,
    c2paPolicy: c2paPolicy && POLICY_VALUES[c2paPolicy],
  });
}

function toBigInt(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(value);
}

function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
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

function parsePrices(value: string): Record<string, bigint> {
  const prices = splitList(value).map((part): [string, bigint] => {
    const [name = '', price = ''] = part.split('=');
    if (!PRICED_OPTIONS.some((option) => option === name)) {
      throw new InvalidArgumentError(`${name} is none of ${PRICED_OPTIONS.join(', ')}.`);
    }
    return [name, BigInt(parseAmount(price))];
  });
  return Object.fromEntries(prices);
}
