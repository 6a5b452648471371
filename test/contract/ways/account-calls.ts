/** The account half of the contract's vocabulary, by the operations that gRPC and GraphQL name alike. */
import { type FullCaller, mapValue, type Result, type SharedUser } from './caller.ts';
import type { Answer, OperationCaller, Values } from './operation-callers.ts';
import type { AccountOperation } from './operation-documents.ts';

const LIST_MAX = 100;

type AccountHalf = Pick<
  FullCaller,
  'credits' | 'ledger' | 'createUser' | 'deleteUser' | 'sendCreationEmail' | 'listUsers'
>;

export abstract class AccountCalls implements AccountHalf {
  readonly #operations: OperationCaller;

  constructor(operations: OperationCaller) {
    this.#operations = operations;
  }

  [Symbol.dispose](): void {
    this.#operations[Symbol.dispose]();
  }

  async credits(): Promise<Result<{ available: number; spent: number }>> {
    return mapValue(await this.#ask('getCredits'), ({ availableCredits, totalSpent }) => ({
      available: availableCredits,
      spent: totalSpent,
    }));
  }

  async ledger(): Promise<Result<{ reason: string; amount: number }[]>> {
    const result = await this.#ask('listLedger', { pageSize: LIST_MAX });
    return mapValue(result, ({ entries }) =>
      entries.map(({ reason, amount }: Answer) => ({ reason, amount })).reverse(),
    );
  }

  async createUser(fields: { name?: string; email?: string }): Promise<Result<SharedUser>> {
    return mapValue(await this.#ask('createUser', { user: fields }), toUser);
  }

  async deleteUser(id: number): Promise<Result<SharedUser>> {
    return mapValue(await this.#ask('deleteUser', { id: String(id) }), toUser);
  }

  async sendCreationEmail(id: number): Promise<Result<SharedUser>> {
    return mapValue(await this.#ask('sendCreationEmail', { id: String(id) }), toUser);
  }

  async listUsers(filter: string): Promise<Result<{ total: number; names: string[] }>> {
    const result = await this.#ask('listUsers', { filter, pageSize: LIST_MAX });
    return mapValue(result, ({ users = [] }) => ({
      total: users.length,
      names: users.map(({ name }: Answer) => name),
    }));
  }

  async #ask(operation: AccountOperation, input: Values = {}): Promise<Result<Answer>> {
    const asked = await this.#operations.ask(operation, input);
    if ('value' in asked) return asked;
    const { code, reason, fields } = asked.refusal;
    return { fault: { code, reason, field: fields[0] ?? '' } };
  }
}

function toUser({
  user: { id, name, email, balance, heuristic, readonly, pricing, partner },
}: Answer): SharedUser {
  return {
    ...{ id: Number(id), name, email, balance, heuristic, readonly, pricing: pricing.sku },
    partnerId: partner === undefined ? null : Number(partner.id),
  };
}
