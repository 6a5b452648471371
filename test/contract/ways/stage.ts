/** One account of each standing, with a caller on one facade: every facade gets its own set, so that rows may change them. */
import { addCustomer, type CustomerOptions, type Service } from '../../interface/service.ts';
import type { Caller, FullCaller } from './caller.ts';
import { GraphqlCaller } from './graphql-caller.ts';
import { GrpcCaller } from './grpc-caller.ts';
import { RestCaller } from './rest-caller.ts';

const STANDINGS = {
  /** An account with 10 credits, which pays 2 for a picture. */
  buyer: { plan: { image_credits: 2 }, credits: 10 },
  plain: {},
  other: {},
  poor: { plan: { image_credits: 2 }, credits: 1 },
  viewer: { user: { readonly: 'true' } },
  images: { plan: { kinds: 'image' } },
  partner: { user: { role: 'partner' } },
} as const satisfies Record<string, CustomerOptions>;

export type Standing = keyof typeof STANDINGS;
const NAMES = Object.keys(STANDINGS) as Standing[];

export interface Stage<C extends Caller = Caller> extends Disposable {
  callers: Record<Standing | 'nobody', C>;
  ids: Record<Standing, number>;
  /** A word that makes the stage's e-mail addresses unique. */
  word: string;
}

export const FACADES = ['REST', 'GraphQL', 'gRPC'] as const;

export async function openStage(service: Service, facade: (typeof FACADES)[number]): Promise<Stage> {
  return await openStageOf(service, facade.toLowerCase(), (key) => openCaller(service, facade, key));
}

export async function openFullStage(
  service: Service,
  facade: 'GraphQL' | 'gRPC',
): Promise<Stage<FullCaller>> {
  const open = (key: string): FullCaller =>
    facade === 'gRPC' ? new GrpcCaller(service.grpc, key) : new GraphqlCaller(service.url, key);
  return await openStageOf(service, `full-${facade.toLowerCase()}`, open);
}

export function openCaller(
  service: Pick<Service, 'url' | 'grpc'>,
  facade: (typeof FACADES)[number],
  key: string,
): Caller {
  if (facade === 'REST') return new RestCaller(service.url, key);
  return facade === 'gRPC' ? new GrpcCaller(service.grpc, key) : new GraphqlCaller(service.url, key);
}

async function openStageOf<C extends Caller>(
  service: Service,
  word: string,
  open: (key: string) => C,
): Promise<Stage<C>> {
  const entries: [Standing, { id: number; caller: C }][] = [];
  for (const name of NAMES) {
    const { id, key } = await addCustomer(service, STANDINGS[name]);
    entries.push([name, { id, caller: open(key) }]);
  }
  const callers = Object.fromEntries(entries.map(([name, { caller }]) => [name, caller]));
  const ids = Object.fromEntries(entries.map(([name, { id }]) => [name, id]));
  const all = { ...callers, nobody: open('assay_nobody') } as Stage<C>['callers'];
  return {
    callers: all,
    ids: ids as Record<Standing, number>,
    word,
    [Symbol.dispose]() {
      for (const caller of Object.values(all)) caller[Symbol.dispose]();
    },
  };
}
