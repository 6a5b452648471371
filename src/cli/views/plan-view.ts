import { PLAN_OPTIONS } from '../../domain/records/plan-option.ts';
import { counted } from '../../domain/shown-text.ts';
import { C2paPolicy, type Plan } from '../../grpc/gen/assay/v1/account_pb.ts';
import { MediaKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import type { Columns } from './cells.ts';
import { nameOf } from './enum-word.ts';

const COLUMNS = {
  id: ({ id }: Plan) => String(id),
  name: ({ name }: Plan) => name,
  'kinds and credits': ({ kinds }: Plan) =>
    kinds.map(({ kind, credits }) => `${nameOf(MediaKind, kind)} ${credits}`).join(', '),
  options: describeOptions,
  models: ({ allModels, models }: Plan) => (allModels ? 'all' : models.join(', ') || 'none'),
  'calls a minute': ({ rateLimitPerMinute: rate }: Plan) => (rate === 0 ? 'any number' : String(rate)),
};
export const PLAN_COLUMNS: Columns<Plan> = COLUMNS;

/** `all` if nothing is withheld: the whole list would be wider than a terminal. */
function describeOptions({ options, optionCredits }: Plan): string {
  const priced = (option: string): string => {
    const credits = optionCredits[option] ?? 0n;
    return credits === 0n ? option : `${option} +${credits}`;
  };
  if (PLAN_OPTIONS.some((option) => !options.includes(option)))
    return options.map(priced).join(', ') || 'none';
  return ['all', ...options.filter((option) => optionCredits[option]).map(priced)].join(', ');
}

export function describePlan(plan: Plan): (readonly [string, string])[] {
  const sizes = plan.kinds.map(
    ({ kind, fileBytesMax }) => `${nameOf(MediaKind, kind)} ${fileBytesMax} bytes`,
  );
  const { id, name, ...others } = COLUMNS;
  const cells = (columns: Readonly<Record<string, (plan: Plan) => string>>) =>
    Object.entries(columns).map(([head, column]) => [head, column(plan)] as const);
  return [
    ...cells({ id, name }),
    ['sku', plan.sku],
    ...cells(others),
    ['largest file', sizes.join(', ')],
    ['c2pa forces', nameOf(C2paPolicy, plan.c2paPolicy)],
    ['media kept', plan.zeroRetention ? 'not at all' : formatDays(plan.mediaDays, 'as long as the record')],
    ['records kept', formatDays(plan.recordDays, 'for ever')],
  ];
}

const formatDays = (days: number, none: string): string => (days === 0 ? none : counted(days, 'day'));
