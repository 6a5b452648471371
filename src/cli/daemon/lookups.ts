/** Finds what a person names: a user by id or e-mail address, a plan by id, name or SKU; a key, a rule or a folder by id. */
import { InvalidArgumentError, Option } from 'commander';
import type { Plan, User } from '../../grpc/gen/assay/v1/account_pb.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { PartnerService } from '../../grpc/gen/assay/v1/partner_service_pb.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import type { AssayClient } from './client.ts';
import { PAGE_SIZE, readPages } from './pages.ts';

const DIGITS = /^[1-9]\d{0,15}$/;

export async function findUserId(client: AssayClient, named: string): Promise<bigint> {
  if (DIGITS.test(named)) return BigInt(named);
  if (!named.includes('@')) {
    const message = `${named}: expected a user's id or e-mail address`;
    throw new CliFailure(message, EXIT_CODES.usage);
  }
  for await (const user of readUsers(client, named)) {
    if (user.email.toLowerCase() === named.toLowerCase()) return user.id;
  }
  throw new CliFailure(`no user with the e-mail address ${named}`, EXIT_CODES.someFailed);
}

async function* readUsers(client: AssayClient, filter: string): AsyncGenerator<User> {
  yield* readPages({ limit: PAGE_SIZE, all: true }, async (page) => {
    const { users, nextPageToken } = await client.call(PartnerService.method.listUsers, { ...page, filter });
    return { items: users, nextPageToken };
  });
}

export async function findPlan(client: AssayClient, named: string): Promise<Plan> {
  const { plans } = await client.call(ApplianceService.method.listPlans, {});
  const found = plans.filter(
    ({ id, name, sku }) =>
      String(id) === named || name.toLowerCase() === named.toLowerCase() || sku === named,
  );
  const [first, second] = found;
  if (first === undefined) {
    throw new CliFailure(`no plan ${named}: assay plan list shows them`, EXIT_CODES.someFailed);
  }
  if (second !== undefined) {
    const message = `${found.length} plans are named ${named}: name it by its id`;
    throw new CliFailure(message, EXIT_CODES.someFailed);
  }
  return first;
}

/** For an argument that is the id of a `noun`. */
export function rowIdParser(noun: string): (value: string) => bigint {
  return (value) => {
    if (!DIGITS.test(value)) throw new InvalidArgumentError(`It must be a ${noun}'s id.`);
    return BigInt(value);
  };
}

/** The desk of a submission or a list; 0: none. */
export function deskOption(description: string): Option {
  const parse = rowIdParser('desk');
  return new Option('--desk <id>', description).argParser((value) => (value === '0' ? 0n : parse(value)));
}
